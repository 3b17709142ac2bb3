import { PassThrough, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Injectable } from '@nestjs/common';
import { Egress, type EgressResult } from '../../../kernel/egress/index.ts';
import { AGENT, GIT_BOUNDS, type GitExchange } from '../git-proxy.policy.ts';
import { fullNameOf, type RepositoryName } from '../repository-name.ts';

/** The code host; no connector can name another one. */
export const GIT_ORIGIN = 'https://github.com';

/** Whom is asked, for whom, with what. */
export interface HostAccess {
  readonly organizationId: string;
  readonly integrationId: string;
  readonly blockedDomains: readonly string[];
  readonly name: RepositoryName;
  /** Of this one repository where the host can give such tokens. */
  readonly token: string;
}

export interface HostRequest {
  readonly exchange: GitExchange;
  /** Behind the address of the repository. */
  readonly path: string;
  readonly accept: string;
  readonly contentType?: string;
  readonly contentEncoding?: string;
  /** Already judged. */
  readonly protocol?: string;
  readonly body?: Uint8Array | AsyncIterable<Uint8Array>;
  readonly signal: AbortSignal;
}

/** An answer whose head is here. Its body must be read to its end or destroyed. */
export interface HostAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly retryAfter: string | null;
  readonly body: Readable;
}

/** Nobody answered, or not as one who speaks this protocol does. */
export class HostFailure extends Error {
  constructor(
    readonly why: 'unreachable' | 'too_large' | 'time' | 'blocked' | 'aborted',
    /** False proves that nothing has left. */
    readonly sent: boolean,
  ) {
    super(`The code host gave no answer: ${why}.`);
    this.name = 'HostFailure';
  }
}

/** Sends requests of Git to the host, each on a connection of its own. Nothing but the named headers goes along. */
@Injectable()
export class GitHostService {
  constructor(private readonly egress: Egress) {}

  /** Resolves with the head. Throws `HostFailure`; the body is destroyed with one where it breaks off. */
  ask(access: HostAccess, request: HostRequest): Promise<HostAnswer> {
    const { bytes, wholeMs, quietMs } = GIT_BOUNDS[request.exchange];
    const { promise, resolve, reject } = Promise.withResolvers<HostAnswer>();
    const quiet = new Quiet(quietMs);
    const passed = new PassThrough();
    const send = this.egress.send({
      url: `${GIT_ORIGIN}/${fullNameOf(access.name)}.git/${request.path}`,
      method: request.body === undefined ? 'GET' : 'POST',
      headers: headersOf(access, request),
      ...(request.body === undefined ? {} : { body: quiet.watched(request.body) }),
      userAgent: `git/${AGENT}`,
      hosts: [GIT_ORIGIN],
      limits: { totalMs: wholeMs, maxBytes: bytes },
      organization: { id: access.organizationId, blockedDomains: access.blockedDomains },
      places: access.integrationId,
      pool: 'streams',
      signal: AbortSignal.any([request.signal, quiet.signal]),
      take: async ({ status, headers }, body) => {
        resolve({
          status,
          contentType: headerIn(headers['content-type']),
          retryAfter: headerIn(headers['retry-after']) || null,
          body: passed,
        });
        await pipeline(quiet.watched(body), passed);
      },
    });
    const ended = async () => {
      try {
        const failure = failureIn(await send);
        if (failure) throw failure;
      } catch (error) {
        reject(error);
        passed.destroy(error as Error);
      } finally {
        quiet.stop();
      }
    };
    void ended();
    return promise;
  }
}

function headersOf({ token }: HostAccess, request: HostRequest): Record<string, string> {
  const { accept, contentType, contentEncoding, protocol } = request;
  return {
    accept,
    authorization: `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`,
    ...(contentType === undefined ? {} : { 'content-type': contentType }),
    ...(contentEncoding === undefined ? {} : { 'content-encoding': contentEncoding }),
    ...(protocol === undefined ? {} : { 'git-protocol': protocol }),
  };
}

function headerIn(header: string | string[] | undefined): string {
  return [header ?? ''].flat()[0] ?? '';
}

function failureIn(result: EgressResult): HostFailure | undefined {
  if (!('refusal' in result)) return undefined;
  const { refusal, sent } = result;
  if (refusal === 'too_large') return new HostFailure('too_large', sent);
  if (refusal === 'blocked_domain') return new HostFailure('blocked', sent);
  if (refusal === 'timeout') return new HostFailure('time', sent);
  return new HostFailure(refusal === 'aborted' ? 'aborted' : 'unreachable', sent);
}

/** Ends an exchange in which no byte goes either way for so long. */
class Quiet {
  private readonly controller = new AbortController();
  private timer: NodeJS.Timeout;

  constructor(private readonly quietMs: number) {
    this.timer = this.started();
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Passes pieces on and counts from each anew; a reader that is slow is not the one that is quiet. */
  async *watched(pieces: Uint8Array | AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces instanceof Uint8Array ? [pieces] : pieces) {
      clearTimeout(this.timer);
      yield piece;
      clearTimeout(this.timer);
      this.timer = this.started();
    }
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  private started(): NodeJS.Timeout {
    return setTimeout(() => this.controller.abort(new Error('No byte came for too long.')), this.quietMs);
  }
}
