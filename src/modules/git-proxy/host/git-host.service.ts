import { PassThrough, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Injectable, Logger } from '@nestjs/common';
import { Config } from '../../../config/index.ts';
import { Egress, type EgressAnswer, type EgressResult } from '../../../kernel/egress/index.ts';
import { AGENT, GIT_BOUNDS, GIT_SERVICES, type GitExchange } from '../git-proxy.policy.ts';
import { fullNameOf, type RepositoryName } from '../repository-name.ts';
import { EchoGuard } from './echo-guard.ts';

/** The code host; no connector can name another one, only a trial has its own. */
const GIT_ORIGIN = 'https://github.com';
/** Of an answer that its reader has not taken yet. */
const BUFFERED_BYTES = 256 * 1_024;

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
  /** On `performance.now()`: later than this no byte leaves. */
  readonly leavesUntilMs?: number;
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
    readonly why: 'unreachable' | 'too_large' | 'time' | 'blocked' | 'echo' | 'aborted',
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
  private readonly logger = new Logger('GitHost');

  private readonly origin: string;

  constructor(
    private readonly egress: Egress,
    { integrations }: Config,
  ) {
    this.origin = integrations.codeHostLocalOrigin ?? GIT_ORIGIN;
  }

  /**
   * Resolves with the head; with that of a success once there are first bytes, or none will come. Throws `HostFailure`; the
   * body is destroyed with one where it breaks off.
   */
  ask(access: HostAccess, request: HostRequest): Promise<HostAnswer> {
    const { pool, bytes, wholeMs, quietMs } = GIT_BOUNDS[request.exchange];
    const { promise, resolve, reject } = Promise.withResolvers<HostAnswer>();
    const quiet = new Quiet(quietMs);
    const echo = new EchoGuard([access.token, credentialOf(access)], request.exchange === 'fetch');
    const answered = new Answered();
    const send = this.egress.send({
      url: `${this.origin}/${fullNameOf(access.name)}.git/${request.path}`,
      method: request.body === undefined ? 'GET' : 'POST',
      headers: headersOf(access, request),
      ...(request.body === undefined ? {} : { body: quiet.watched(request.body) }),
      userAgent: `git/${AGENT}`,
      hosts: [this.origin],
      limits: { totalMs: wholeMs, maxBytes: bytes },
      organization: { id: access.organizationId, blockedDomains: access.blockedDomains },
      places: access.integrationId,
      pool,
      ...(request.leavesUntilMs === undefined ? {} : { leavesUntilMs: request.leavesUntilMs }),
      signal: AbortSignal.any([request.signal, quiet.signal]),
      take: async (head, body) => {
        const begin = () => resolve(answered.by(head));
        if (head.status !== 200) begin();
        await pipeline(answered.passed(body, { quiet, echo, onBegin: begin }), answered.body);
      },
    });
    const ended = async () => {
      const failure = await failureOf(send, echo);
      quiet.stop();
      if (failure) {
        reject(failure);
        answered.body.destroy(failure);
      }
      this.note(access, request, answered, failure);
    };
    void ended();
    return promise;
  }

  /** Nothing of a header, a body or a query. */
  private note(
    { name, integrationId }: HostAccess,
    { exchange, path }: HostRequest,
    answered: Answered,
    failure: Error | undefined,
  ) {
    const service = GIT_SERVICES.find((each) => path.includes(each)) ?? '';
    const { status, bytes, ms } = answered;
    const end = failure instanceof HostFailure && !answered.isLeft ? `, ended: ${failure.why}` : '';
    const text = `${service} (${exchange}) of ${fullNameOf(name)} by the integration ${integrationId}`;
    this.logger.log(`${text}: status ${status ?? 'none'}, ${bytes} bytes, ${ms} ms${end}`);
  }
}

/** What an answer is looked at for while it passes. */
interface Watched {
  readonly quiet: Quiet;
  readonly echo: EchoGuard;
  readonly onBegin: () => void;
}

/** What has come of an answer. */
class Answered {
  readonly body = new PassThrough({ highWaterMark: BUFFERED_BYTES });
  status: number | undefined;
  bytes = 0;
  /** Whether its reader wants no more of it. */
  isLeft = false;
  private readonly began = performance.now();

  constructor() {
    // It may end before anybody reads it.
    this.body.on('error', () => undefined);
  }

  get ms(): number {
    return Math.round(performance.now() - this.began);
  }

  by({ status, headers }: Pick<EgressAnswer, 'status' | 'headers'>): HostAnswer {
    this.status = status;
    return {
      status,
      contentType: headerIn(headers['content-type']),
      retryAfter: headerIn(headers['retry-after']) || null,
      body: this.body,
    };
  }

  /**
   * Passes on what may be, and says when the first bytes are here, or none will come. All in one generator: each one more
   * costs turns of the loop for every piece, of which a fetch has thousands.
   */
  async *passed(pieces: AsyncIterable<Uint8Array>, { quiet, echo, onBegin }: Watched): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      quiet.pause();
      const safe = echo.safe(piece);
      if (safe.length > 0) {
        if (this.bytes === 0) onBegin();
        this.bytes += safe.length;
        this.isLeft = true;
        yield safe;
        this.isLeft = false;
      }
      quiet.goOn();
    }
    if (this.bytes === 0) onBegin();
    this.bytes += echo.rest.length;
    if (echo.rest.length > 0) yield echo.rest;
  }
}

/** As the host takes it. */
function credentialOf({ token }: HostAccess): string {
  return Buffer.from(`x-access-token:${token}`).toString('base64');
}

function headersOf(access: HostAccess, request: HostRequest): Record<string, string> {
  const { accept, contentType, contentEncoding, protocol } = request;
  return {
    accept,
    authorization: `Basic ${credentialOf(access)}`,
    ...(contentType === undefined ? {} : { 'content-type': contentType }),
    ...(contentEncoding === undefined ? {} : { 'content-encoding': contentEncoding }),
    ...(protocol === undefined ? {} : { 'git-protocol': protocol }),
  };
}

function headerIn(header: string | string[] | undefined): string {
  return [header ?? ''].flat()[0] ?? '';
}

async function failureOf(send: Promise<EgressResult>, echo: EchoGuard): Promise<Error | undefined> {
  try {
    const result = await send;
    return echo.hasHeard ? new HostFailure('echo', true) : failureIn(result);
  } catch (error) {
    return error as Error;
  }
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
      this.pause();
      yield piece;
      this.goOn();
    }
  }

  /** While something else is waited for than bytes. */
  pause(): void {
    clearTimeout(this.timer);
  }

  goOn(): void {
    clearTimeout(this.timer);
    this.timer = this.started();
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  private started(): NodeJS.Timeout {
    return setTimeout(() => this.controller.abort(new Error('No byte came for too long.')), this.quietMs);
  }
}
