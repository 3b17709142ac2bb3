import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl';
import { LIMITS, UnreadableError } from '../text/index.ts';

/** The parts of an archive, as a stream each. Counts what comes out of them, whatever sizes they declare. */
export class Archive {
  private inflated = 0;

  private constructor(
    private readonly zip: ZipFile,
    private readonly entries: ReadonlyMap<string, Entry>,
  ) {}

  static async open(bytes: Buffer): Promise<Archive> {
    const zip = await fromBufferPromise(bytes, { lazyEntries: true });
    const entries = new Map<string, Entry>();
    for await (const entry of zip.eachEntry()) {
      if (entries.size >= LIMITS.zipEntries)
        throw new UnreadableError('too_complex', `more than ${LIMITS.zipEntries} entries`);
      // Of two entries with one name, the first one counts, as for most programs.
      const name = keyOf(entry.fileName);
      if (!entries.has(name)) entries.set(name, entry);
    }
    return new Archive(zip, entries);
  }

  has(name: string): boolean {
    return this.entries.has(keyOf(name));
  }

  /** The bytes of a part in pieces; none if there is no such part. */
  async *read(name: string): AsyncGenerator<Buffer> {
    const entry = this.entries.get(keyOf(name));
    if (!entry) return;
    if (entry.isEncrypted()) throw new UnreadableError('encrypted', 'an entry needs a password');
    for await (const piece of (await this.zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>) {
      this.inflated += piece.length;
      if (this.inflated > LIMITS.inflatedBytes)
        throw new UnreadableError('too_complex', `more than ${LIMITS.inflatedBytes} bytes inside`);
      yield piece;
    }
  }

  /** The first bytes of a part as text. */
  async beginning(name: string, bytes: number): Promise<string> {
    let text = '';
    for await (const piece of this.read(name)) {
      text += piece.toString('latin1');
      if (text.length >= bytes) break;
    }
    return text.slice(0, bytes);
  }
}

/** Office programs do not tell names apart by case. */
function keyOf(name: string): string {
  return name.replace(/^\/+/, '').toLowerCase();
}
