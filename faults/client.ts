import { setTimeout as wait } from 'node:timers/promises';
import type { Answer, History, Intent } from './history.ts';
import type { Random } from './random.ts';

export interface Request {
  readonly method: 'GET' | 'PATCH' | 'POST' | 'PUT';
  readonly path: string;
  readonly token: string;
  readonly body?: object;
  readonly bytes?: Buffer;
  readonly idempotencyKey?: string;
  readonly intent: Intent;
  /** How long the service may wait on purpose. */
  readonly waitMs?: number;
}

// oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape; what is wrong with one, the checker finds
export type Heard = Answer & { readonly body: any };

/** What the actors of a run call the service by. */
export interface Client {
  /** Whether its owner does nothing wrong on purpose any more. */
  calm: boolean;
  call(request: Request): Promise<Heard>;
}

/** No answer came, however often the call was sent. */
export class GaveUp extends Error {}

/** Shorter than a lease, so that the client changes from a frozen process to another in time. */
const ANSWER_LIMIT_MS = 2_000;
const CALL_LIMIT_MS = 20_000;

/**
 * Calls the service as over a bad network: late, twice, out of order, or without the answer. Repeats a call without an
 * answer unchanged, to any of the processes.
 */
export class FaultyClient implements Client {
  /** Ends the faults of this client. */
  calm = false;
  private readonly bases: readonly string[];
  private readonly history: History;
  private readonly random: Random;

  constructor(bases: readonly string[], history: History, random: Random) {
    this.bases = bases;
    this.history = history;
    this.random = random;
  }

  async call(request: Request): Promise<Heard> {
    const call = this.history.begin(request.intent);
    if (this.fault(0.06)) await wait(this.random.between(0, 400));
    else if (this.fault(0.01)) await wait(this.random.between(2_000, 4_500));
    if (this.fault(0.08)) this.copyLater(call, request);
    const deadline = performance.now() + CALL_LIMIT_MS;
    do {
      const heard = await this.send(call, request);
      if (heard && heard.status !== 503 && heard.status !== 429) return heard;
      await wait(this.random.between(30, 250));
    } while (performance.now() < deadline);
    throw new GaveUp(`${request.method} ${request.path}`);
  }

  /** Sends the same call again, sometimes so late that its sender has already continued. */
  private copyLater(call: string, request: Request): void {
    const afterMs = this.fault(0.2) ? this.random.between(2_000, 6_000) : this.random.between(0, 300);
    void wait(afterMs).then(() => this.send(call, request));
  }

  private async send(call: string, request: Request): Promise<Heard | undefined> {
    const { method, path, token, body, bytes, idempotencyKey, waitMs = 0 } = request;
    const limit = AbortSignal.timeout(ANSWER_LIMIT_MS + waitMs);
    const hangUp = this.fault(0.02) ? AbortSignal.timeout(Math.round(this.random.between(0, 20))) : limit;
    const unheard = this.fault(0.04) || undefined;
    const sentAt = Date.now();
    try {
      const response = await fetch(this.random.pick(this.bases) + path, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(bytes
            ? { 'content-type': 'application/octet-stream' }
            : body
              ? { 'content-type': 'application/json' }
              : {}),
          ...(idempotencyKey ? { 'idempotency-key': idempotencyKey } : {}),
        },
        body: bytes ? new Uint8Array(bytes) : body ? JSON.stringify(body) : null,
        signal: AbortSignal.any([limit, hangUp]),
      });
      const text = await response.text();
      const parsed = JSON.parse(text);
      const answer: Answer = {
        sentAt,
        answeredAt: Date.now(),
        status: response.status,
        code: parsed.error?.code,
        issue: parsed.error?.issues?.[0]?.code,
        data: { id: parsed.data?.id, status: parsed.data?.status },
        unheard,
      };
      this.history.answered(call, answer);
      return unheard ? undefined : { ...answer, body: parsed };
    } catch {
      // The process was away, the connection broke, or the time was up.
      return undefined;
    }
  }

  private fault(probability: number): boolean {
    return !this.calm && this.random.chance(probability);
  }
}
