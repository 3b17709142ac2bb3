import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { DROPPED_BYTES } from '../git-proxy.policy.ts';

/** The bytes of a push as they come, unpacked; what is not wanted any more is read all the same, so that the answer arrives. */
export class PushBody {
  /** To be read by one at a time. */
  readonly pieces: AsyncGenerator<Buffer>;
  private isDropped = false;

  constructor(
    private readonly request: Readable,
    contentEncoding: string | undefined,
  ) {
    const raw = request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
    this.pieces = this.read(contentEncoding === undefined ? raw : unpacked(raw));
  }

  /** Whether the client left within it. */
  get isCut(): boolean {
    return this.request.destroyed && !this.request.readableEnded;
  }

  /** Drops the rest, up to a bound; behind it, and when the edge has waited long enough, the connection closes. */
  drop(): void {
    this.isDropped = true;
    const dropping = async () => {
      for await (const _ of this.pieces);
      // Whoever read before may have ended the reading.
      this.request.on('error', () => undefined).resume();
    };
    void dropping().catch(() => undefined);
  }

  private async *read(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let bytes = 0;
    for await (const piece of pieces) {
      bytes += piece.length;
      if (!this.isDropped) yield piece;
      else if (bytes > DROPPED_BYTES) {
        this.request.destroy();
        return;
      }
    }
  }
}

async function* unpacked(packed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gunzip = createGunzip();
  const source = Readable.from(packed, { objectMode: false }).on('error', (error) => gunzip.destroy(error));
  try {
    yield* source.pipe(gunzip) as AsyncIterable<Buffer>;
  } finally {
    source.destroy();
    gunzip.destroy();
  }
}
