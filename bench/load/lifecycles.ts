import { createHash, randomUUID } from 'node:crypto';
import pg from 'pg';
import {
  type LeasedRun,
  LIFECYCLE_SETTINGS,
  type LifecycleStep,
  logEntries,
  type LogEntry,
  runStep,
} from '../baselines/lifecycle-statements.ts';
import { closedLoop } from './closed-loop.ts';
import { HttpClient } from './http-client.ts';
import type { Job, LoadResult } from './job.ts';

type Call = (step: LifecycleStep, run: LeasedRun) => Promise<unknown>;

const LOG_ENTRIES = 10;
/** As many as the service has. */
const POOL_SIZE = 20;

/** Kept from measurement to measurement, so that none pays for connections and plans. */
let sqlPool: pg.Pool | undefined;

/** Lifecycles of claimed requests: start, running, heartbeats, ten log entries, complete. */
export async function lifecycles(job: Extract<Job, { kind: 'lifecycles' }>): Promise<LoadResult> {
  const { items, beats, workers, seconds, perSecond, leaseToken } = job;
  const tokenHash = createHash('sha256').update(leaseToken).digest();
  const call = CALLERS[job.via](job, logEntries(LOG_ENTRIES));
  return closedLoop({
    workers,
    seconds,
    ...(perSecond === undefined ? {} : { perSecond }),
    async operate(index, timer) {
      const item = items[index];
      if (!item) return false;
      const run = { ...item, runId: randomUUID(), leaseToken, tokenHash };
      const step = (name: LifecycleStep) => timer(name, () => call(name, run));
      await step('start');
      await step('running');
      for (let beat = 0; beat < beats; beat += 1) await step('heartbeat');
      await step('logs');
      await step('complete');
      return true;
    },
  });
}

const CALLERS = {
  service({ target, token, workers }: Extract<Job, { kind: 'lifecycles' }>, entries: readonly LogEntry[]): Call {
    const client = HttpClient.of(target, token, workers);
    const call: Call = (step, { organizationId, leaseToken, runRequestId, runId }) => {
      const lease = { organizationId, leaseToken };
      switch (step) {
        case 'start':
          return client.post(`/internal/run-requests/${runRequestId}/start`, { ...lease, runId, workerId: 'bench' });
        case 'running':
          return client.post(`/internal/runs/${runId}/running`, {
            ...lease,
            harness: 'bench/1',
            model: 'bench',
            workspaceUri: 'workspace://bench/1',
          });
        case 'heartbeat':
          return client.post(`/internal/runs/${runId}/heartbeat`, lease);
        case 'logs':
          return client.post(`/internal/runs/${runId}/logs`, { ...lease, entries });
        case 'complete':
          return client.post(`/internal/runs/${runId}/complete`, {
            ...lease,
            output: { kind: 'task_result', result: { kind: 'completed', summary: 'Done.' } },
          });
      }
    };
    return call;
  },

  bare({ target, workers }: Extract<Job, { kind: 'lifecycles' }>, entries: readonly LogEntry[]): Call {
    const client = HttpClient.of(target, 'none', workers);
    return (step, run) =>
      client.post(`/${step}`, {
        ...run,
        tokenHash: run.tokenHash.toString('base64'),
        ...(step === 'logs' ? { entries } : {}),
      });
  },

  sql({ target }: Extract<Job, { kind: 'lifecycles' }>, entries: readonly LogEntry[]): Call {
    sqlPool ??= new pg.Pool({
      connectionString: target,
      max: POOL_SIZE,
      idleTimeoutMillis: 0,
      options: LIFECYCLE_SETTINGS,
    });
    const pool = sqlPool;
    return (step, run) => runStep(pool, step, run, entries);
  },
} satisfies Record<string, (job: Extract<Job, { kind: 'lifecycles' }>, entries: readonly LogEntry[]) => Call>;
