import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Pool } from 'undici';
import type { Bench } from './bench.ts';
import { LEASE_TOKEN } from './seeds.ts';
import { SERVICE_TOKEN } from './service.ts';
import { quantile } from './stats.ts';

const EVERY_MS = 50;

/** The runtime of another tenant: a run that beats, a turn that streams, a worker that claims; and who looks at readiness. */
export class Neighbour {
  private readonly http: Pool;
  private readonly calls: readonly (() => Promise<number>)[];

  private constructor(http: Pool, calls: Neighbour['calls']) {
    this.http = http;
    this.calls = calls;
  }

  static async of(bench: Bench): Promise<Neighbour> {
    const organizationId = await bench.seeds.organization('probes');
    const http = new Pool(bench.service.baseUrl, { connections: 8, pipelining: 1 });
    const headers = { authorization: `Bearer ${SERVICE_TOKEN}`, 'content-type': 'application/json' };
    const post = async (path: string, body: object) => {
      const answer = await http.request({ method: 'POST', path, headers, body: JSON.stringify(body) });
      await answer.body.dump();
      return answer.statusCode;
    };
    const [item] = await bench.seeds.work('probes', 1, 'claimed');
    const [turn] = await bench.seeds.turns('chats', 1);
    const runId = randomUUID();
    const lease = { organizationId, leaseToken: LEASE_TOKEN };
    const started = await post(`/internal/run-requests/${item!.runRequestId}/start`, {
      ...lease,
      runId,
      workerId: 'bench',
    });
    if (started !== 200) throw new Error(`The neighbour's start answered ${started}.`);
    const turnLease = { organizationId: turn!.organizationId, leaseToken: LEASE_TOKEN, partId: 'p1', text: 'word ' };
    let offset = 0;
    const append = async () => {
      const status = await post(`/internal/chat-turns/${turn!.turnId}/append`, { ...turnLease, offset });
      if (status === 200) offset += turnLease.text.length;
      return status;
    };
    const ready = async () => {
      const answer = await http.request({ method: 'GET', path: '/health/ready' });
      await answer.body.dump();
      return answer.statusCode;
    };
    return new Neighbour(http, [
      () => post(`/internal/runs/${runId}/heartbeat`, lease),
      () =>
        post('/internal/run-requests/claim', {
          workerId: 'bench',
          bootId: randomUUID(),
          organizationIds: [organizationId],
        }),
      append,
      ready,
    ]);
  }

  close(): Promise<void> {
    return this.http.destroy();
  }

  /** Works as long as the load is made. */
  async work(
    load: Promise<unknown>,
  ): Promise<{ readonly p99: number; readonly share: number; readonly refused: readonly number[] }> {
    const over = new AbortController();
    const latencies: number[] = [];
    const refused: number[] = [];
    let calls = 0;
    const loop = async (call: () => Promise<number>) => {
      while (!over.signal.aborted) {
        const beganAt = performance.now();
        const status = await call();
        latencies.push(performance.now() - beganAt);
        calls += 1;
        if (status !== 200) refused.push(status);
        await wait(EVERY_MS);
      }
    };
    const working = this.calls.map(loop);
    await load;
    over.abort();
    await Promise.all(working);
    return { p99: quantile(latencies, 0.99), share: 1 - refused.length / calls, refused };
  }
}
