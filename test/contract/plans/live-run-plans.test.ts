import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { sha256 } from '../../../src/kernel/crypto/index.ts';
import { sharing } from '../../../src/kernel/tenancy/index.ts';
import type { Statement } from '../../../src/kernel/database/index.ts';
import { TaskEnded } from '../../../src/modules/tasks/index.ts';
import { completionLocks, completePlainRuns } from '../../../src/modules/runs/completion/plain-completions.queries.ts';
import { renewRunLeases, markRunning } from '../../../src/modules/runs/leases/run-lease.queries.ts';
import { appendLogs, lockLogs } from '../../../src/modules/runs/logs/run-logs.queries.ts';
import { actionRow } from '../../support/factories/actions.ts';
import { type RunRow, Workplace } from '../../support/factories/engine-rows.ts';
import { explain, nodes } from '../../support/database/query-plans.ts';
import { useTestApp } from '../../support/use-test-app.ts';

/** Calls on a run find it by its key, also in plans that were made while next to nothing was live. */
const LIVE = 40;
const ENDED = 2_000;

const app = useTestApp({ ownDatabase: true });
let run: RunRow & { organizationId: string };

beforeAll(async () => {
  const place = await Workplace.open(app);
  const ended = await place.run();
  const columns = await columnsOf('run', ['id', 'attempt', 'status', 'finished_at']);
  await app.db.query(
    `insert into run (id, attempt, status, finished_at, ${columns})
     select gen_random_uuid(), n + 1, 'expired', clock_timestamp(), ${columns} from run, generate_series(1, ${ENDED}) n where id = $1`,
    [ended.runId],
  );
  await app.db.query(`update run set status = 'expired', finished_at = clock_timestamp() where id = $1`, [ended.runId]);
  await app.db.query(
    `insert into inbox_item (organization_id, id, kind, purpose, status, severity, title, body, presentation, opened_by,
       task_id, response, closure)
     select $1, gen_random_uuid(), 'question', 'task', case when n % 2 = 0 then 'open' else 'answered' end,
       'action_required', 'May I?', 'Or not?', '{}', 'agent', gen_random_uuid(),
       case when n % 2 = 1 then '{}'::jsonb end, case when n % 2 = 1 then '{}'::jsonb end
     from generate_series(1, ${ENDED}) n`,
    [place.organizationId],
  );
  const action = await actionRow(app, place.organizationId);
  const ofActions = await columnsOf('action', ['id', 'reference', 'task_id', 'status']);
  await app.db.query(
    `insert into action (id, reference, task_id, status, ${ofActions})
     select gen_random_uuid(), 'A-' || n, gen_random_uuid(), case when n % 2 = 0 then 'succeeded' else 'approved' end, ${ofActions}
     from action, generate_series(1, ${ENDED}) n where id = $1`,
    [action],
  );
  await app.db.query('vacuum analyze');
  for (let n = 0; n < LIVE; n += 1) run = { ...(await place.run()), organizationId: place.organizationId };
});

/** The columns of a table but these, for copies of its rows. */
async function columnsOf(table: string, but: readonly string[]): Promise<string> {
  const { rows } = await app.db.query<{ columns: string }>(
    `select string_agg(quote_ident(attname), ', ') as columns from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attname <> all($2::text[])`,
    [table, but],
  );
  return rows[0]!.columns;
}

const fence = () => ({ organizationId: run.organizationId, runId: run.runId, tokenHash: sha256(run.leaseToken) });
const entry = {
  sequence: 1,
  category: 'execution',
  status: 'info',
  label: 'A step',
  occurredAt: '2026-03-01T09:30:00Z',
};
const CALLS: Readonly<Record<string, () => Statement[]>> = {
  running: () => [markRunning([{ ...fence(), harness: 'h', model: 'm', workspaceUri: 'w' }])],
  heartbeat: () => [renewRunLeases([fence()], { leaseSeconds: 60, capabilitySeconds: 900 })],
  logs: () => [lockLogs([fence()]), appendLogs([{ ...fence(), entries: [entry] }])],
  complete: () => [
    ...completionLocks([fence()]),
    completePlainRuns(
      [
        {
          ...fence(),
          output: { kind: 'task_result', result: {} },
          report: {},
          digest: '0'.repeat(64),
          runEntryId: randomUUID(),
          taskEntryId: randomUUID(),
        },
      ],
      app.app.get(TaskEnded).nothingToDo,
    ),
  ],
};

/** What modules keep that must not outlive a task. */
const PROBED = new Set(['inbox_item', 'action']);

describe.each(Object.keys(CALLS))('%s', (name) => {
  it('reads its run by the primary key, in each of its statements', async () => {
    const all = CALLS[name]!();
    for (const [index, query] of all.entries()) {
      const plan = await explain(app, query, true, sharing({ alone: true }), ...all.slice(0, index));
      const reads = [...nodes(plan)].filter(
        (node) => node['Relation Name'] === 'run' && node['Node Type'].startsWith('Index'),
      );
      expect(reads.length).toBeGreaterThan(0);
      expect(new Set(reads.map((node) => node['Index Name']))).toEqual(new Set(['run_pkey']));
    }
  });
});

describe('complete', () => {
  it.each([false, true])(
    'asks by one index each what its task leaves open, with a generic plan: %s',
    async (generic) => {
      const all = CALLS.complete!();
      const plan = await explain(app, all.at(-1)!, generic, sharing({ alone: true }), ...all.slice(0, -1));
      const probes = [...nodes(plan)].filter((node) => PROBED.has(node['Relation Name'] ?? ''));
      const found = probes.map((node) => [node['Relation Name'], node['Index Name'], node['Actual Rows']]);
      expect(new Set(found)).toEqual(
        new Set([
          ['action', 'action_unresolved_of_task', 0],
          ['inbox_item', 'inbox_item_by_task_id', 0],
        ]),
      );
      expect(found).toHaveLength(2);
    },
  );
});
