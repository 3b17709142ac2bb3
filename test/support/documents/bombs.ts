import { constants, deflateRawSync } from 'node:zlib';

/** Empty last block of a deflated stream. */
const LAST_BLOCK = Buffer.from([0x03, 0x00]);

/** A deflated stream of `times` copies of a text between two others, made without ever holding what comes out of it. */
export function deflatedCopies(text: string, times: number, before = '', after = ''): Buffer {
  const block = (content: string | Buffer) =>
    content.length === 0 ? Buffer.alloc(0) : deflateRawSync(content, { finishFlush: constants.Z_FULL_FLUSH });
  const one = block(text);
  return Buffer.concat([block(before), ...Array.from({ length: times }, () => one), block(after), LAST_BLOCK]);
}

/** The same with the head of zlib, as PDF has it. Its checksum is missing, which readers of PDF do not mind. */
export function zlibCopies(text: string, times: number, before = '', after = ''): Buffer {
  return Buffer.concat([Buffer.from([0x78, 0x9c]), deflatedCopies(text, times, before, after)]);
}
