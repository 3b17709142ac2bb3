import { Agent, type IncomingMessage, request as send } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Client, Heard, Request } from '../client.ts';
import type { Answer, History } from '../history.ts';

/** Counts of all clients of a run. */
export class Traffic {
  calls = 0;
  /** Sent to the next replica because the first one refused the connection. */
  refused = 0;
  /** Sent again because the service closed an idle connection in the moment of its reuse. */
  closedIdle = 0;
  readonly serverErrors: string[] = [];
  readonly unanswered: string[] = [];
}

/**
 * Calls one replica after the other, as a balancer does that knows nothing of their state, over connections that are
 * kept. Sends a call again only once, and only where it cannot have been carried out: the connection was not made, or had
 * been idle and was closed.
 */
export class CarefulClient implements Client {
  readonly calm = true;
  private static turn = 0;
  private readonly bases: readonly string[];
  private readonly history: History;
  private readonly traffic: Traffic;
  private readonly agent = new Agent({ keepAlive: true });

  constructor(bases: readonly string[], history: History, traffic: Traffic) {
    this.bases = bases;
    this.history = history;
    this.traffic = traffic;
  }

  async call(request: Request): Promise<Heard> {
    const call = this.history.begin(request.intent);
    const sentAt = Date.now();
    this.traffic.calls += 1;
    const named = `${request.method} ${request.path}`;
    try {
      const first = CarefulClient.turn++;
      const { status, body } = await this.attempt(request, first).catch((error: unknown) => {
        if (!(error instanceof Unsent)) throw error;
        this.traffic[error.why] += 1;
        return this.attempt(request, first + 1);
      });
      if (status >= 500) this.traffic.serverErrors.push(`${named}: ${status} ${JSON.stringify(body)}`);
      const answer: Answer = {
        sentAt,
        answeredAt: Date.now(),
        status,
        code: body.error?.code,
        issue: body.error?.issues?.[0]?.code,
        data: { id: body.data?.id, status: body.data?.status },
      };
      this.history.answered(call, answer);
      return { ...answer, body };
    } catch (error) {
      this.traffic.unanswered.push(`${named}: ${(error as Error).message}`);
      throw error;
    }
  }

  close(): void {
    this.agent.destroy();
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
  private attempt(request: Request, turn: number): Promise<{ status: number; body: any }> {
    const { method, path, token, body, bytes, idempotencyKey } = request;
    const base = this.bases[turn % this.bases.length]!;
    const headers = {
      authorization: `Bearer ${token}`,
      ...(bytes ? { 'content-type': 'application/octet-stream' } : body ? { 'content-type': 'application/json' } : {}),
      ...(idempotencyKey ? { 'idempotency-key': idempotencyKey } : {}),
    };
    return new Promise((resolve, reject) => {
      const call = send(base + path, { method, headers, agent: this.agent });
      call.on('response', (response: IncomingMessage) => {
        text(response).then((all) => resolve({ status: response.statusCode!, body: JSON.parse(all) }), reject);
      });
      call.on('error', (error: NodeJS.ErrnoException) => {
        // A port that closes in this moment resets what it has not accepted yet: nothing was sent either.
        if (error.syscall === 'connect') reject(new Unsent('refused'));
        else if (call.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE'))
          reject(new Unsent('closedIdle'));
        else reject(error);
      });
      call.end(bytes ?? (body ? JSON.stringify(body) : undefined));
    });
  }
}

class Unsent extends Error {
  readonly why: 'refused' | 'closedIdle';

  constructor(why: 'refused' | 'closedIdle') {
    super(`twice: ${why}`);
    this.why = why;
  }
}
