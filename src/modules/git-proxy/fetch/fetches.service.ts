import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { ApiError, EdgeErrors } from '../../../kernel/errors/index.ts';
import type { StreamedAnswer } from '../../../kernel/http/index.ts';
import type { GitAccess } from '../access/index.ts';
import { FETCH_REQUEST_BYTES, MEDIA, NO_CACHE } from '../git-proxy.policy.ts';
import { asRefusal, GitHostService, RepositoryHostService, requireAnswer } from '../host/index.ts';
import { firstPiece } from './first-piece.ts';

/** A fetch whose body was not read yet. */
export interface ReceivedFetch {
  readonly access: GitAccess;
  readonly body: Readable;
  /** How the body is packed, in which form it is passed on. */
  readonly contentEncoding: string | undefined;
  /** What the client says of the version that it speaks. */
  readonly protocol: string | undefined;
  /** Aborts when the client leaves. */
  readonly signal: AbortSignal;
}

const SERVICE = 'git-upload-pack';
/** With which a client that is about to send much asks whether it may. */
const PROBE = '0000';
/** The most that it takes where it is packed. */
const MOST_PROBE_BYTES = 64;

/** Passes fetches on, in both directions as the bytes come. */
@Injectable()
export class FetchesService {
  constructor(
    private readonly repositories: RepositoryHostService,
    private readonly host: GitHostService,
  ) {}

  async fetch(received: ReceivedFetch): Promise<StreamedAnswer> {
    const { access, contentEncoding, signal } = received;
    const bounded = new BoundedRequest(received.body);
    try {
      const probeBytes = contentEncoding === undefined ? PROBE.length : MOST_PROBE_BYTES;
      const { first, rest } = await firstPiece(bounded.pieces(), probeBytes);
      if (isProbe(first, contentEncoding)) return answerOf(Buffer.alloc(0));
      const hostAccess = await this.repositories.accessTo(access, 'read', signal);
      const answer = await this.host.ask(hostAccess, {
        exchange: 'fetch',
        path: SERVICE,
        accept: MEDIA.result[SERVICE],
        contentType: MEDIA.request[SERVICE],
        ...(contentEncoding === undefined ? {} : { contentEncoding }),
        ...(received.protocol === undefined ? {} : { protocol: received.protocol }),
        body: rest,
        signal,
      });
      return answerOf(requireAnswer(answer, MEDIA.result[SERVICE]).body);
    } catch (error) {
      throw bounded.isExceeded ? new ApiError(EdgeErrors.payloadTooLarge) : asRefusal(error);
    }
  }
}

function isProbe(first: Buffer, contentEncoding: string | undefined): boolean {
  if (first.length > MOST_PROBE_BYTES) return false;
  if (contentEncoding === undefined) return first.toString('latin1') === PROBE;
  try {
    return gunzipSync(first, { maxOutputLength: MOST_PROBE_BYTES }).toString('latin1') === PROBE;
  } catch {
    // What it is instead is for the host to say.
    return false;
  }
}

function answerOf(body: Readable | Buffer): StreamedAnswer {
  return { type: MEDIA.result[SERVICE], headers: NO_CACHE, body };
}

/** What a client asks for, as long as that is not more than any needs. */
class BoundedRequest {
  private bytes = 0;

  constructor(private readonly body: Readable) {}

  get isExceeded(): boolean {
    return this.bytes > FETCH_REQUEST_BYTES;
  }

  async *pieces(): AsyncGenerator<Buffer> {
    // What is not wanted of it is left to the edge, which lets the client read its answer first.
    for await (const piece of this.body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      this.bytes += piece.length;
      if (this.isExceeded) throw new Error('The request is longer than it may be.');
      yield piece;
    }
  }
}
