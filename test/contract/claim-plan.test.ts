import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { claimReady } from '../../src/modules/runs/claim.queries.ts';
import { organizationOf } from '../support/client.ts';
import { explain, nodes } from '../support/query-plans.ts';
import { TestApp } from '../support/test-app.ts';
import { freshDatabase } from '../support/test-database.ts';
import { queueTasks } from '../support/work.ts';

const QUEUED = 5_000;

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start({ databaseUrl: await freshDatabase('migrated') });
  const organizationId = await organizationOf(await app.person());
  await queueTasks(app, organizationId, QUEUED);
}, 60_000);
afterAll(() => app.close());

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

describe(`the plan of a claim over ${QUEUED} queued requests`, () => {
  it.each([
    ['fresh statistics', true, false],
    ['a generic plan', true, true],
    ['no statistics', false, false],
  ])('walks the index of ready requests to its head, with %s', async (_what, analyzed, generic) => {
    if (analyzed) await app.db.query('analyze');
    else
      await app.db.query(
        `delete from pg_statistic where starelid in ('run_request'::regclass, 'organization_dispatch'::regclass)`,
      );
    const query = claimReady(claim, [Buffer.alloc(32, 1)], undefined);
    const all = [...nodes(await explain(app, query, generic))];
    const walks = all.filter((node) => node['Index Name'] === 'run_request_ready');
    expect(walks).toHaveLength(1);
    expect(walks[0]!['Node Type']).toMatch(/^Index/);
    expect(walks[0]!['Actual Rows']).toBe(1);
    for (const sort of all.filter((node) => node['Node Type'].includes('Sort')))
      expect([...nodes(sort)].map((node) => node['Relation Name'])).not.toContain('run_request');
    const scans = all.filter((node) => node['Node Type'] === 'Seq Scan').map((node) => node['Relation Name']);
    expect(scans).not.toContain('run_request');
  });
});
