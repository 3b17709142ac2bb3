import { createHash, randomUUID } from 'node:crypto';
import pg from 'pg';
import {
  type LeasedRun,
  type LifecycleStep,
  logEntries,
  type LogEntry,
  runStep,
} from '../baselines/lifecycle-statements.ts';
import { closedLoop } from './closed-loop.ts';
import { HttpClient } from './http-client.ts';
import type { Job, LoadResult } from './job.ts';

type Call = (step: LifecycleStep, run: LeasedRun) => Promise<unknown>;
interface Caller {
  readonly call: Call;
  close(): Promise<void>;
}

const LOG_ENTRIES = 10;

/** Lifecycles of claimed requests: start, running, heartbeats, ten log entries, complete. */
export async function lifecycles(job: Extract<Job, { kind: 'lifecycles' }>): Promise<LoadResult> {
  const { items, beats, workers, seconds, perSecond, leaseToken } = job;
  const tokenHash = createHash('sha256').update(leaseToken).digest();
  const caller = CALLERS[job.via](job, logEntries(LOG_ENTRIES));
  try {
    return await closedLoop({
      workers,
      seconds,
      ...(perSecond === undefined ? {} : { perSecond }),
      async operate(index, timer) {
        const item = items[index];
        if (!item) return false;
        const run = { ...item, runId: randomUUID(), leaseToken, tokenHash };
        const step = (name: LifecycleStep) => timer(name, () => caller.call(name, run));
        await step('start');
        await step('running');
        for (let beat = 0; beat < beats; beat += 1) await step('heartbeat');
        await step('logs');
        await step('complete');
        return true;
      },
    });
  } finally {
    await caller.close();
  }
}

const CALLERS = {
  service({ target, token, workers }: Extract<Job, { kind: 'lifecycles' }>, entries: readonly LogEntry[]): Caller {
    const client = new HttpClient(target, token, workers);
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
    return { call, close: () => client.close() };
  },

  bare({ target, workers }: Extract<Job, { kind: 'lifecycles' }>, entries: readonly LogEntry[]): Caller {
    const client = new HttpClient(target, 'none', workers);
    return {
      call: (step, run) =>
        client.post(`/${step}`, {
          ...run,
          tokenHash: run.tokenHash.toString('base64'),
          ...(step === 'logs' ? { entries } : {}),
        }),
      close: () => client.close(),
    };
  },

  sql({ target, workers }: Extract<Job, { kind: 'lifecycles' }>, entries: readonly LogEntry[]): Caller {
    const pool = new pg.Pool({ connectionString: target, max: Math.min(workers, 64) });
    return { call: (step, run) => runStep(pool, step, run, entries), close: () => pool.end() };
  },
} satisfies Record<string, (job: Extract<Job, { kind: 'lifecycles' }>, entries: readonly LogEntry[]) => Caller>;
