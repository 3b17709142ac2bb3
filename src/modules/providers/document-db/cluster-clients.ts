import { createHash } from 'node:crypto';
import type { MongoClient } from 'mongodb';
import { egressFailureOf } from '../../../kernel/egress/index.ts';
import { conflict, IntegrationIssues, type ProviderNet } from '../../integrations/index.ts';
import { failed } from '../wire/index.ts';
import { type ClusterClient, type ClusterLogin, connectCluster } from './cluster.ts';
import { driver } from './driver.ts';
import { failureOf, isOfNetwork } from './driver-failures.ts';

const MOST_CLIENTS = 32;
const REST_MS = 60_000;

interface Kept {
  readonly connecting: Promise<ClusterClient>;
  /** Set once it stands. */
  standing: ClusterClient | undefined;
  users: number;
  rest: NodeJS.Timeout | undefined;
  isDropped: boolean;
}

/** Asks with a client, of which every failure becomes one of ours. */
export interface ClusterSession {
  readonly client: MongoClient;
  /** Ends with the call that it is for. */
  readonly signal: AbortSignal;
  /** One question to the server; with a hint where the error of a missing index is told apart. */
  ask<T>(question: (client: MongoClient) => Promise<T>, hasHint?: boolean): Promise<T>;
}

/**
 * Clients of clusters, one for each credential of a connector and what its organization forbids. The least recently used one
 * gives way to a new one; one that rests is closed.
 */
export class ClusterClients {
  private readonly kept = new Map<string, Kept>();

  /** Only tests let them rest for another time. */
  constructor(private readonly restMs = REST_MS) {}

  get size(): number {
    return this.kept.size;
  }

  /** Does all of one call in one of the connector's places. */
  async use<T>(
    { sockets, signal }: ProviderNet,
    login: ClusterLogin,
    work: (session: ClusterSession) => Promise<T>,
  ): Promise<T> {
    if (!sockets) throw conflict(IntegrationIssues.notConfigured);
    const modules = await driver();
    const failing = (error: unknown, hasHint = false) =>
      signal.aborted ? failed('unavailable') : failureOf(error, modules, hasHint);
    const call = async () => {
      const key = keyOf(sockets.connector, login);
      const kept = this.entry(key, () => connectCluster(sockets, login));
      kept.users += 1;
      clearTimeout(kept.rest);
      try {
        const { client } = await inTime(kept.connecting, signal).catch((error: unknown) => {
          throw failing(error);
        });
        const ask: ClusterSession['ask'] = (question, hasHint) =>
          inTime(question(client), signal).catch((error: unknown) => {
            if (isOfNetwork(error, modules) && !signal.aborted) void this.drop(key, kept);
            throw failing(error, hasHint);
          });
        return await work({ client, signal, ask });
      } finally {
        kept.users -= 1;
        this.settle(key, kept);
      }
    };
    try {
      return await sockets.inTurn(call);
    } catch (error) {
      throw signal.aborted || egressFailureOf(error) ? failing(error) : error;
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.kept].map(([key, kept]) => this.drop(key, kept, true)));
  }

  private entry(key: string, connect: () => Promise<ClusterClient>): Kept {
    const before = this.kept.get(key);
    if (before && !(before.standing?.isStale ?? false)) {
      // Used last, so it goes last.
      this.kept.delete(key);
      this.kept.set(key, before);
      return before;
    }
    if (before) void this.drop(key, before);
    if (this.kept.size >= MOST_CLIENTS) {
      const [oldest] = [...this.kept].toSorted(([, one], [, other]) => Number(one.users > 0) - Number(other.users > 0));
      void this.drop(...oldest!);
    }
    const kept: Kept = { connecting: connect(), standing: undefined, users: 0, rest: undefined, isDropped: false };
    this.kept.set(key, kept);
    kept.connecting.then(
      (standing) => (kept.standing = standing),
      () => this.drop(key, kept),
    );
    return kept;
  }

  private settle(key: string, kept: Kept): void {
    if (kept.users > 0) return;
    if (kept.isDropped) return void closed(kept);
    kept.rest = setTimeout(() => void this.drop(key, kept), this.restMs).unref();
  }

  /** Takes a client out of use; it is closed when nobody uses it any more. */
  private async drop(key: string, kept: Kept, atOnce = false): Promise<void> {
    if (this.kept.get(key) === kept) this.kept.delete(key);
    kept.isDropped = true;
    clearTimeout(kept.rest);
    if (kept.users === 0 || atOnce) await closed(kept);
  }
}

/** Nothing of a credential stays readable in a key. */
function keyOf(connector: string, { clusterHost, username, password }: ClusterLogin): string {
  return createHash('sha256')
    .update(JSON.stringify([connector, clusterHost, username, password]))
    .digest('base64');
}

async function closed({ connecting }: Kept): Promise<void> {
  await connecting.then(({ client }) => client.close(true)).catch(() => undefined);
}

/** Lets a caller go when its time is over, whatever it waits for. */
async function inTime<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const over = Promise.withResolvers<never>();
  const stop = () => over.reject(signal.reason as Error);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    return await Promise.race([work, over.promise]);
  } finally {
    signal.removeEventListener('abort', stop);
    work.catch(() => undefined);
  }
}
