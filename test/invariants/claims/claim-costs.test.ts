import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { sql, type Statement } from '../../../src/kernel/database/index.ts';
import { rejoinLines, joinLines } from '../../../src/modules/tasks/index.ts';
import { claimReady } from '../../../src/modules/runs/claims/claim.queries.ts';
import { organizationOf } from '../../support/client.ts';
import { ageLines, inLine, readyOrganizations } from '../../support/factories/many-organizations.ts';
import { explain, nodes } from '../../support/database/query-plans.ts';
import { queueTask } from '../../support/factories/work.ts';
import { useTestApp, usePerson } from '../../support/use-test-app.ts';

/** Organizations that may not start anything. */
const MANY = 400;

const CLAIM = {
  workerId: 'w',
  bootId: randomUUID(),
  requestKey: null,
  leaseSeconds: 30,
  organizationIds: null as string[] | null,
  profileKeys: null as string[] | null,
  modes: null,
  executionClasses: null,
};

// Claims here look at all organizations that there are.
const app = useTestApp({ ownDatabase: true });
const owner = usePerson(app);
/** With work that may start. */
let served: string;
beforeEach(async () => {
  await app.db.query('truncate organization_dispatch, profile_dispatch');
  await app.db.query(`update run_request set status = 'cancelled' where status = 'queued'`);
  served = await organizationOf(owner);
});

/** Rows that a claim reads, all scans together. */
async function readBy(claim: Partial<typeof CLAIM>): Promise<number> {
  const all = [
    ...nodes(await explain(app, claimReady({ ...CLAIM, ...claim }, [Buffer.alloc(32, 1)], undefined), true)),
  ];
  expect(all.filter((node) => node['Node Type'] === 'Seq Scan')).toEqual([]);
  return all
    .filter((node) => node['Relation Name'] !== undefined && node['Node Type'] !== 'ModifyTable')
    .reduce((sum, node) => sum + node['Actual Rows']! * node['Actual Loops']!, 0);
}

const CLAIMS = (ids: readonly string[]): readonly (readonly [string, Partial<typeof CLAIM>])[] => [
  ['of anything', {}],
  ['of the same profiles', { profileKeys: ['growth'] }],
  ['of several profiles', { profileKeys: ['growth', 'support'] }],
  ['of a profile that has no work', { profileKeys: ['engineering'] }],
  ['of one organization', { organizationIds: [served] }],
  ['of some that may not', { organizationIds: ids.slice(0, 3) }],
];

async function costs(ids: readonly string[]): Promise<number[]> {
  const read: number[] = [];
  for (const [, claim] of CLAIMS(ids)) read.push(await readBy(claim));
  return read;
}

const among = (ids: readonly string[], text: string) => app.db.query(text, [ids]);

/** Rows that a statement reads of the lines. */
async function readOfLines(query: Statement): Promise<number> {
  return [...nodes(await explain(app, query, true))]
    .filter((node) => node['Relation Name']?.endsWith('_dispatch') && node['Node Type'] !== 'ModifyTable')
    .reduce(
      (sum, node) => sum + (node['Actual Rows']! + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']!,
      0,
    );
}

describe(`among ${MANY} organizations that have left, or stand in line, an event reads its own places`, () => {
  it.each([
    ['fresh statistics', 'analyze'],
    [
      'no statistics',
      `select pg_clear_relation_stats('public', 'organization_dispatch'), pg_clear_relation_stats('public', 'profile_dispatch')`,
    ],
    [
      'statistics of empty tables',
      `select pg_restore_relation_stats('schemaname', 'public', 'relname', t, 'relpages', 0, 'reltuples', 0::real)
       from unnest(array['organization_dispatch', 'profile_dispatch']) t`,
    ],
  ])('with %s', async (_what, statistics) => {
    await queueTask(app, served);
    const ids = await readyOrganizations(app, await organizationOf(owner), MANY);
    const { rows } = await app.db.query<{ profile: string }>(
      `select agent_profile_id as profile from profile_dispatch where organization_id = $1`,
      [served],
    );
    const organization = sql`(select ${served}::uuid as organization_id)`;
    const profile = sql`(select ${served}::uuid as organization_id, ${rows[0]!.profile}::uuid as agent_profile_id)`;
    for (const left of [false, true]) {
      for (const table of ['organization_dispatch', 'profile_dispatch'])
        if (left)
          await app.db.query(
            `update ${table} set next_ready_at = null, left_at = now() where organization_id = any($1::uuid[])`,
            [ids],
          );
      await app.db.query(statistics);
      const back = sql`with ${rejoinLines(organization)} select`;
      expect(await readOfLines(back)).toBeLessThanOrEqual(4);
      const hint = sql`with ${joinLines(profile)} select`;
      expect(await readOfLines(hint)).toBeLessThanOrEqual(4);
    }
  });
});

describe(`among ${MANY} organizations a claim reads what it reads alone`, () => {
  it.each<[string, (original: string) => Promise<void>, (ids: string[]) => Promise<unknown>]>([
    [
      'dispatch is stopped',
      async () => undefined,
      (ids) => among(ids, `update organization set work_dispatch_stopped_at = now() where id = any($1::uuid[])`),
    ],
    [
      'the profile is disabled',
      async () => undefined,
      (ids) => among(ids, `update agent_profile set status = 'disabled' where organization_id = any($1::uuid[])`),
    ],
    [
      'the profile is full',
      async () => undefined,
      (ids) => among(ids, `update profile_capacity set max_live_runs = 0 where organization_id = any($1::uuid[])`),
    ],
    [
      'the organization is at capacity',
      async () => undefined,
      (ids) => among(ids, `update organization_capacity set max_live_runs = 0 where organization_id = any($1::uuid[])`),
    ],
    [
      'the organization is not active',
      async () => undefined,
      (ids) => among(ids, `update organization set status = 'onboarding' where id = any($1::uuid[])`),
    ],
  ])('when %s', async (_what, prepare, hold) => {
    await queueTask(app, served);
    await queueTask(app, served, { profile: 'support' });
    await app.db.query('analyze');
    const alone = await costs([]);
    const original = await organizationOf(owner);
    await prepare(original);
    const ids = await readyOrganizations(app, original, MANY);
    await hold(ids);
    // Behind those.
    await app.db.query(
      `update organization_dispatch set last_served_at = clock_timestamp() where organization_id = $1`,
      [served],
    );
    expect(await readBy({})).toBeGreaterThan(MANY);
    await ageLines(app, ids);
    await app.runJob('run-requests-due');
    expect(await inLine(app, 'organization_dispatch', ids)).toEqual([]);
    expect(await inLine(app, 'profile_dispatch', ids)).toEqual([]);
    expect(await inLine(app, 'organization_dispatch', [served])).toEqual([served]);
    await app.db.query('analyze');
    const after = await costs(ids);
    for (const [index, [name]] of CLAIMS(ids).entries())
      expect({ name, within: after[index]! <= Math.max(1.5 * alone[index]!, 10) }).toEqual({ name, within: true });
    // Nor do they come back by themselves.
    await app.runJob('run-requests-due');
    expect(await inLine(app, 'organization_dispatch', ids)).toEqual([]);
  });

  it('that may start, of a profile that it does not ask for', async () => {
    await queueTask(app, served, { profile: 'support' });
    const alone = await readBy({ profileKeys: ['support'] });
    const nothing = await readBy({ profileKeys: ['engineering'] });
    const original = await organizationOf(owner);
    const ids = await readyOrganizations(app, original, MANY);
    await app.db.query(
      `update organization_dispatch set last_served_at = clock_timestamp() where organization_id = $1`,
      [served],
    );
    await app.runJob('run-requests-due');
    expect(await inLine(app, 'organization_dispatch', ids)).toHaveLength(MANY);
    expect(await readBy({ profileKeys: ['support'] })).toBeLessThanOrEqual(1.5 * alone);
    expect(await readBy({ profileKeys: ['engineering'] })).toBeLessThanOrEqual(nothing);
  });
});
