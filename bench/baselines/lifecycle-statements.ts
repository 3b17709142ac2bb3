import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type * as BatchModule from '../../src/kernel/database/batch.ts';
import type { Statement } from '../../src/kernel/database/index.ts';
import type * as StartModule from '../../src/modules/runs/leases/run-start.queries.ts';
import type * as LeaseModule from '../../src/modules/runs/leases/run-lease.queries.ts';
import type * as CompletionModule from '../../src/modules/runs/completion/plain-completions.queries.ts';
import type * as LogsModule from '../../src/modules/runs/logs/run-logs.queries.ts';

/** From the build: the sources have decorators, which Node does not strip. */
async function built<Module>(path: string): Promise<Module> {
  return (await import(new URL(`../../dist/src/${path}`, import.meta.url).href)) as Module;
}

const { Batch } = await built<typeof BatchModule>('kernel/database/batch.js');
const { startRuns, startLocks } = await built<typeof StartModule>('modules/runs/leases/run-start.queries.js');
const { renewRunLeases, markRunning } = await built<typeof LeaseModule>('modules/runs/leases/run-lease.queries.js');
const { appendLogs, lockLogs } = await built<typeof LogsModule>('modules/runs/logs/run-logs.queries.js');
const { completionLocks, completePlainRuns } = await built<typeof CompletionModule>(
  'modules/runs/completion/plain-completions.queries.js',
);

export interface LeasedRun {
  readonly organizationId: string;
  readonly runRequestId: string;
  readonly runId: string;
  readonly leaseToken: string;
  readonly tokenHash: Buffer;
}

export interface LogEntry {
  readonly sequence: number;
  readonly category: string;
  readonly status: string;
  readonly label: string;
  readonly occurredAt: string;
}

export type LifecycleStep = 'start' | 'running' | 'heartbeat' | 'logs' | 'complete';

const WORKPLACE = { harness: 'bench/1', model: 'bench', workspaceUri: 'workspace://bench/1' };

/** The statements of a lifecycle, one batch a step: the service's own SQL for one call, without roles and row-level security. */
export function statementsOf(
  step: LifecycleStep,
  run: LeasedRun,
  entries: readonly LogEntry[] = [],
): readonly Statement[] {
  switch (step) {
    case 'start': {
      const start = { ...run, workerId: 'bench', bootId: null };
      return [...startLocks([start]), startRuns([start], SECONDS)];
    }
    case 'running':
      return [markRunning([{ ...run, ...WORKPLACE }])];
    case 'heartbeat':
      return [renewRunLeases([run], SECONDS)];
    case 'logs':
      return [lockLogs([run]), appendLogs([{ ...run, entries }])];
    case 'complete': {
      const ids = { runEntryId: randomUUID(), taskEntryId: randomUUID() };
      const call = { ...run, output: COMPLETED, report: {}, digest: '0'.repeat(64), ...ids };
      return [...completionLocks([run]), completePlainRuns([call])];
    }
  }
}

/** Statements as the service sends them: one batch on a connection of the pool. */
export async function roundTrip(
  pool: pg.Pool,
  statements: readonly Statement[],
  options: { readonly prepared: boolean },
): Promise<readonly { readonly rows: unknown[] }[]> {
  const client = await pool.connect();
  try {
    return await Batch.run(client, statements, options);
  } finally {
    client.release();
  }
}

/** Runs one step and refuses to count one that moved nothing. */
export async function runStep(
  pool: pg.Pool,
  step: LifecycleStep,
  run: LeasedRun,
  entries?: readonly LogEntry[],
): Promise<void> {
  const results = await roundTrip(pool, statementsOf(step, run, entries), { prepared: true });
  const row = results.at(-1)!.rows[0] as { verdict?: string; moved?: boolean } | undefined;
  if (!row || row.moved === false || (step === 'start' && row.verdict !== 'started'))
    throw new Error(`"${step}" moved nothing: ${JSON.stringify(row)}`);
}

/** A connection's settings for these statements, as the service sets them for each transaction. */
export const LIFECYCLE_SETTINGS =
  '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off';

const SECONDS = { leaseSeconds: 60, capabilitySeconds: 900 };
const COMPLETED = { kind: 'task_result', result: { kind: 'completed', summary: 'Done.', artifacts: [] } };

/** `count` entries of a run's log, from the first. */
export function logEntries(count: number): LogEntry[] {
  const occurredAt = new Date().toISOString();
  return Array.from({ length: count }, (_, index) => ({
    sequence: index + 1,
    category: 'execution',
    status: 'info',
    label: `Step ${index + 1} of the work`,
    occurredAt,
  }));
}
