import { addAbortSignal, Readable } from 'node:stream';
import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { type Extracted, readingFrom, warningOf } from './extracted.ts';
import { ReadingProcess } from './reading-process.ts';
import { LIMITS } from './text/index.ts';

export interface ExtractionSource {
  readonly bytes: Readable;
  readonly sizeBytes: number;
  /** For messages only. */
  readonly fileName: string;
  /** As declared, in lower case and without parameters. */
  readonly mediaType: string;
}

/** For all bytes of a source to arrive. */
const ARRIVAL_MS = 120_000;

/** Reads sources, one at a time in this process, each in a process of its own. */
@Injectable()
export class Extraction implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Extraction');
  private readonly stopping = new AbortController();
  private last: Promise<unknown> = Promise.resolve();

  /**
   * The text of a source; what cannot be read has warnings instead. Fails only if the bytes do not arrive, if the signal
   * aborts, and if no process can be started.
   */
  async extract(source: ExtractionSource, signal: AbortSignal): Promise<Extracted> {
    const ending = AbortSignal.any([signal, this.stopping.signal]);
    const { bytes } = source;
    // Until its turn comes, nothing else listens.
    bytes.on('error', () => undefined);
    const turn = this.last.then(() => this.inTurn(source, ending));
    this.last = turn.catch(() => undefined);
    try {
      return await turn;
    } finally {
      bytes.destroy();
    }
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort(new Error('the service stops'));
    await this.last;
  }

  private async inTurn({ bytes, sizeBytes, fileName, mediaType }: ExtractionSource, signal: AbortSignal) {
    signal.throwIfAborted();
    if (sizeBytes > LIMITS.sourceBytes) return extracted(UNREAD, fileName);
    const reader = new ReadingProcess();
    const stop = () => void reader.end().catch(() => undefined);
    signal.addEventListener('abort', stop);
    try {
      const answer = await reader.read(mediaType, bounded(bytes, sizeBytes, signal));
      signal.throwIfAborted();
      if ('json' in answer) return extracted(readingFrom(answer.json) ?? UNREAD, fileName);
      this.logger.log(`a ${mediaType} of ${sizeBytes} bytes went beyond a limit of reading: ${answer.exceeded}`);
      return extracted(UNREAD, fileName);
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      signal.removeEventListener('abort', stop);
      await reader.end();
    }
  }
}

/** Fails if other bytes arrive than announced, or not in time. */
async function* exactly(bytes: Readable, sizeBytes: number): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const piece of bytes as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > sizeBytes) break;
    yield piece;
  }
  if (size !== sizeBytes) throw new Error(`${sizeBytes} bytes were announced, and others arrived.`);
}

function bounded(bytes: Readable, sizeBytes: number, signal: AbortSignal): Readable {
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(ARRIVAL_MS)]);
  return addAbortSignal(inTime, Readable.from(exactly(addAbortSignal(inTime, bytes), sizeBytes)));
}

type ReadingOfProcess = NonNullable<ReturnType<typeof readingFrom>>;

const UNREAD: ReadingOfProcess = {
  foundMediaType: null,
  passages: [],
  characters: 0,
  pages: null,
  truncated: false,
  warnings: ['too_complex'],
};

function extracted(reading: ReadingOfProcess, fileName: string): Extracted {
  const { foundMediaType } = reading;
  return { ...reading, warnings: reading.warnings.map((code) => warningOf(code, fileName, foundMediaType)) };
}
