import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipEntry {
  readonly name: string;
  readonly content: string | Buffer;
  /** What the archive says of it instead of the truth. */
  readonly declaredBytes?: number;
  readonly isEncrypted?: boolean;
  /** The compressed form, where making it anew would take long. */
  readonly deflated?: Buffer;
  readonly crc?: number;
}

/** An archive as office programs write it. */
export function zip(entries: readonly ZipEntry[]): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const content = Buffer.from(entry.content);
    const deflated = entry.deflated ?? deflateRawSync(content);
    const name = Buffer.from(entry.name);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(0x0800 | (entry.isEncrypted ? 1 : 0), 2);
    fields.writeUInt16LE(8, 4);
    fields.writeUInt16LE(0x21, 8);
    fields.writeUInt32LE(entry.crc ?? crc32(content), 10);
    fields.writeUInt32LE(deflated.length, 14);
    fields.writeUInt32LE(entry.declaredBytes ?? content.length, 18);
    fields.writeUInt16LE(name.length, 22);
    locals.push(Buffer.from('PK\x03\x04', 'latin1'), fields, name, deflated);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\x00', 'latin1'), fields, rest, name);
    offset += 30 + name.length + deflated.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, central, end]);
}
