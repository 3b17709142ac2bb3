import type { Bench, Measured, Servers } from './bench.ts';
import type { Job, LeasedTurn } from './load/job.ts';
import type { ServerProcess } from './processes.ts';
import { LEASE_TOKEN } from './seeds.ts';
import { SERVICE_TOKEN, startBareEvents, startService } from './service.ts';

/** Two servers of event streams, fresh ones for each scenario: the service, which lets one owner have them all, and bare Fastify. */
export class Streamers implements Servers {
  readonly service: ServerProcess;
  readonly bare: ServerProcess;
  private readonly bench: Bench;

  private constructor(bench: Bench, service: ServerProcess, bare: ServerProcess) {
    this.bench = bench;
    this.service = service;
    this.bare = bare;
  }

  static async use<T>(bench: Bench, work: (streamers: Streamers) => Promise<T>): Promise<T> {
    const env = { EVENT_STREAMS_PER_SUBJECT: '2000', EVENT_STREAMS_MAX: '2000', ROLE: 'api' };
    const [service, bare] = await Promise.all([
      startService(bench.database, env, { probed: true }),
      startBareEvents(bench.database.url),
    ]);
    const streamers = new Streamers(bench, service, bare);
    try {
      return await work(streamers);
    } finally {
      await streamers.streams('close', 'service', []);
      await Promise.all([service.stop(), bare.stop()]);
    }
  }

  streams(
    action: Extract<Job, { kind: 'streams' }>['action'],
    side: keyof Servers,
    turns: readonly LeasedTurn[],
  ): Promise<Measured> {
    const paths = turns.map(({ organizationId, chatId }) =>
      side === 'bare' ? '/events' : `/organizations/${organizationId}/chats/${chatId}/events`,
    );
    const token = this.bench.seeds.ownerToken;
    return this.bench.run({ kind: 'streams', action, target: this[side].baseUrl, token, paths }, this);
  }

  /** Appends through the service, each answer's one after the other. */
  appends(
    turns: readonly LeasedTurn[],
    { perSecond, seconds = this.bench.pace.seconds }: { readonly perSecond: number; readonly seconds?: number },
  ): Promise<Measured> {
    const load = { workers: turns.length, seconds, perSecond, characters: 40 };
    const lease = { token: SERVICE_TOKEN, leaseToken: LEASE_TOKEN };
    return this.bench.run({ kind: 'appends', target: this.service.baseUrl, ...lease, turns, ...load }, this);
  }

  /** Appends of another process, which all listen to. */
  notifications(
    turn: LeasedTurn,
    load: Pick<Extract<Job, { kind: 'notifications' }>, 'count' | 'perSecond' | 'characters' | 'awaited'>,
  ): Promise<Measured> {
    return this.bench.run({ kind: 'notifications', database: this.bench.database.url, turn, ...load }, this);
  }
}
