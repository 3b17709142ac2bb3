import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { claimReady } from '../../../src/modules/runs/claims/claim.queries.ts';
import { explain, nodes, type Plan } from '../../support/database/query-plans.ts';
import { queueTasks } from '../../support/factories/work.ts';
import { useOrganization } from '../../support/use-test-app.ts';

const QUEUED = 5_000;

const { app, organization } = useOrganization({ ownDatabase: true });
beforeAll(async () => {
  // The backlog of a profile that is full, before the work of others.
  await queueTasks(app, organization.id, QUEUED, { priority: 1 });
  await app.db.query(
    `update profile_capacity l set max_live_runs = 0 from agent_profile p
     where l.organization_id = $1 and p.organization_id = $1 and p.id = l.agent_profile_id and p.key = 'growth'`,
    [organization.id],
  );
  await queueTasks(app, organization.id, 40, { profile: 'support' });
  await queueTasks(app, organization.id, 40, { profile: 'engineering' });
}, 60_000);

const claim = {
  workerId: 'w',
  bootId: randomUUID(),
  requestKey: null,
  leaseSeconds: 30,
  organizationIds: null,
  profileKeys: null,
  modes: null,
  executionClasses: null,
};
const TABLES = ['run_request', 'run', 'organization_dispatch', 'agent_profile', 'task'];

/** Of a first round, or of a further one that takes so many. */
async function planOf(items: number | undefined): Promise<Plan[]> {
  const tokens = Array.from({ length: items ?? 1 }, () => Buffer.alloc(32, 1));
  const query = claimReady(
    claim,
    tokens,
    items === undefined ? undefined : [{ organizationId: organization.id, items }],
  );
  return [...nodes(await explain(app, query, true))];
}

describe(`the plan of a claim over ${QUEUED} queued requests of a full profile and a few of others`, () => {
  it.each([
    ['fresh statistics', 'analyze'],
    [
      'no statistics',
      `select pg_clear_relation_stats('public', t), (
         select count(pg_clear_attribute_stats('public', t, a.attname, false)) from pg_attribute a
         where a.attrelid = t::regclass and a.attnum > 0 and not a.attisdropped) from unnest($1::text[]) t`,
    ],
    [
      'statistics of empty tables',
      `select pg_restore_relation_stats('schemaname', 'public', 'relname', t, 'relpages', 0, 'reltuples', 0::real) from unnest($1::text[]) t`,
    ],
  ])('walks the queues to their heads along the index, with %s', async (_what, statistics) => {
    await app.db.query(statistics, statistics.includes('$1') ? [TABLES] : []);
    for (const [items, requests] of [
      [undefined, 10],
      [1, 10],
      [10, 150],
    ] as const) {
      const all = await planOf(items);
      expect(all.filter((node) => node['Index Name'] === 'run_request_queues').length).toBeGreaterThan(0);
      const reads = all.filter(
        (node) => node['Relation Name'] === 'run_request' && node['Node Type'] !== 'ModifyTable',
      );
      for (const read of reads) expect(read['Node Type']).toMatch(/^Index/);
      const read = reads.reduce((sum, node) => sum + node['Actual Rows']! * node['Actual Loops']!, 0);
      expect(read).toBeLessThanOrEqual(requests);
      for (const sort of all.filter((node) => node['Node Type'].includes('Sort')))
        expect(sort['Actual Rows']! * sort['Actual Loops']!).toBeLessThan(QUEUED / 10);
      expect(all.map((node) => node['Node Type'])).not.toContain('Seq Scan');
    }
  });
});
