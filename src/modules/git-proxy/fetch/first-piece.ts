/** What comes piece by piece, with its beginning looked at. */
interface Peeked {
  /** More bytes than were asked for, or all where there are no more. */
  readonly first: Buffer;
  /** Everything, the beginning included. */
  readonly rest: AsyncIterable<Buffer>;
}

/** Reads on until more than so many bytes are here, or the end. */
export async function firstPiece(pieces: AsyncGenerator<Buffer>, bytes: number): Promise<Peeked> {
  let first = Buffer.alloc(0);
  let isWhole = false;
  while (first.length <= bytes && !isWhole) {
    const next = await pieces.next();
    isWhole = next.done === true;
    if (!next.done) first = Buffer.concat([first, next.value]);
  }
  return { first, rest: joined(first, pieces) };
}

async function* joined(first: Buffer, pieces: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  if (first.length > 0) yield first;
  yield* pieces;
}
