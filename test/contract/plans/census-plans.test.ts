import { beforeAll, describe, expect, it } from '@jest/globals';
import { bounded, COUNTED } from '../../../src/kernel/census/census.queries.ts';
import { countTurns } from '../../../src/modules/chats/census/turn-census.queries.ts';
import { countWork } from '../../../src/modules/runs/census/work-census.queries.ts';
import { explain, nodes, type Plan } from '../../support/database/query-plans.ts';
import { firstChat } from '../../support/factories/chats.ts';
import { startedRun } from '../../support/factories/work.ts';
import { useOrganization } from '../../support/use-test-app.ts';

/** The counts for metrics read what is open, up to their limit, however much history there is. */
const ENDED = 3_000;
const READY = COUNTED + 500;
const WAITING = 1_000;

const { app, organization } = useOrganization({ ownDatabase: true });

/** Copies of a row that differ in some columns, without checks of references. */
async function copy(
  table: string,
  id: string,
  count: number,
  changed: Readonly<Record<string, string>>,
): Promise<void> {
  const changes = Object.entries(changed).map(([column, value]) => `'${column}', ${value}`);
  const client = await app.db.connect();
  await client.query('set session_replication_role = replica');
  await client.query(
    `insert into ${table} select (jsonb_populate_record(x, jsonb_build_object(${changes.join(', ')}))).*
     from ${table} x, generate_series(1, ${count}) where x.id = $1`,
    [id],
  );
  await client.query('set session_replication_role = origin');
  client.release();
}

beforeAll(async () => {
  const { runRequestId, runId } = await startedRun(app, organization.id);
  const id = 'gen_random_uuid()';
  await copy('run_request', runRequestId, READY, { id, task_id: id, status: `'queued'`, ready: 'true' });
  await copy('run_request', runRequestId, ENDED, { id, task_id: id, status: `'completed'` });
  await copy('run', runId, ENDED, { id, status: `'expired'`, run_request_id: id });
  await copy('run', runId, 50, { id, run_request_id: id });
  await app.db.query(
    `insert into message (organization_id, id, chat_id, role, status)
     select $1, gen_random_uuid(), $2, 'user', 'complete' from generate_series(1, ${ENDED})`,
    [organization.id, await firstChat(app, organization.id)],
  );
  // Turns that wait, so that the indexes of the other kinds are the smaller ones.
  await app.db.query(
    `with chats as (
       insert into chat (organization_id, id, title) select $1, gen_random_uuid(), 'A chat' from generate_series(1, ${WAITING})
       returning id)
     insert into message (organization_id, id, chat_id, role, status, agent_profile_id)
     select $1, gen_random_uuid(), chats.id, 'assistant', 'pending',
       (select p.id from agent_profile p where p.organization_id = $1 and p.kind = 'chat') from chats`,
    [organization.id],
  );
  await app.db.query(
    `insert into organization_dispatch (organization_id, next_ready_at)
     select gen_random_uuid(), case when n % 10 = 0 then clock_timestamp() end from generate_series(1, ${ENDED}) n`,
  );
  await app.db.query('vacuum analyze');
}, 120_000);

const INDEXES = new Set([
  'run_request_queues',
  'run_request_coming_due',
  'run_request_claimed',
  'run_request_handed_out',
  'organization_dispatch_order',
  'run_live',
  'run_live_of_request',
  'message_claimable',
  'message_resting',
  'message_leased',
  'message_claimed',
  'message_cancelling',
]);

function scansOf(plan: Plan): Plan[] {
  return [...nodes(plan)].filter((node) => node['Node Type'].endsWith('Scan') && node['Relation Name'] !== undefined);
}

describe.each([
  ['work', countWork],
  ['turns', countTurns],
] as const)('the count of %s', (_, statement) => {
  it.each([true, false])(
    'reads partial indexes of what is open, up to the limit (generic plan: %s)',
    async (generic) => {
      const scans = scansOf(await explain(app, statement(), generic, bounded()));
      expect(scans.length).toBeGreaterThanOrEqual(4);
      for (const scan of scans) {
        expect(INDEXES).toContain(scan['Index Name']);
        expect(scan['Actual Rows']).toBeLessThanOrEqual(COUNTED);
        expect(scan['Rows Removed by Filter'] ?? 0).toBe(0);
      }
    },
  );
});

it('stands at the limit where more is ready', async () => {
  const { text } = countWork();
  const { rows } = await app.db.query<{ ready: { count: number } }>(text);
  expect(rows[0]!.ready.count).toBe(COUNTED);
});
