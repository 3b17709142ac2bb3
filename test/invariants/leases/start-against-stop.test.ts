import { beforeEach, describe, expect, it } from '@jest/globals';
import { type Answer } from '../../support/client.ts';
import { until } from '../../support/until.ts';
import { type Claimed, claim, claimOne, queueTask, queueTasks, rowsOf, start } from '../../support/factories/work.ts';
import { useOrganization } from '../../support/use-test-app.ts';

/**
 * A start and what forbids it have one order: whoever was answered first was first. Each order is made certain by holding
 * the row that both lock, and letting them queue up for it.
 */
const { app, owner, organization } = useOrganization({ per: 'test' });
let claimed: Claimed;
beforeEach(async () => {
  await queueTask(app, organization.id);
  claimed = await claimOne(app, organization.id);
});

interface Forbids {
  readonly table: string;
  readonly issue: string;
  act(): Promise<Answer>;
}

const profilePath = () => `/organizations/${organization.id}/agent-profiles/${claimed.agentProfileId}`;
const FORBIDS: Readonly<Record<string, Forbids>> = {
  'a stop': {
    table: 'organization_capacity',
    issue: 'work_dispatch_stopped',
    act: () => owner.put(`/organizations/${organization.id}/work-dispatch`, { status: 'stopped' }),
  },
  'a disabled profile': {
    table: 'profile_capacity',
    issue: 'profile_disabled',
    act: () => owner.patch(profilePath(), { status: 'disabled' }),
  },
  'a deleted profile': {
    table: 'profile_capacity',
    issue: 'profile_disabled',
    act: () => owner.delete(profilePath()),
  },
  'a switched-off department': {
    table: 'profile_capacity',
    issue: 'profile_disabled',
    act: () =>
      owner.patch(`/organizations/${organization.id}`, { config: { departments: { growth: { enabled: false } } } }),
  },
};

/** Holds the row, lets the calls queue up for it in this order, and lets it go. */
async function inOrder(table: string, calls: readonly (() => Promise<Answer>)[]): Promise<Answer[]> {
  const client = await app.db.connect();
  try {
    await client.query('begin');
    await client.query(`select from ${table} where organization_id = $1 for update`, [organization.id]);
    const answers: Promise<Answer>[] = [];
    for (const call of calls) {
      answers.push(call());
      await until('it waits', async () => {
        const { rows } = await app.db.query<{ waiting: number }>(
          `select count(*)::int as waiting from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return rows[0]!.waiting === answers.length;
      });
    }
    await client.query('commit');
    return await Promise.all(answers);
  } finally {
    client.release();
  }
}

describe.each(Object.entries(FORBIDS))('a start against %s', (_what, { table, issue, act }) => {
  it('starts when it was first', async () => {
    const [started, forbidden] = await inOrder(table, [() => start(app, claimed), act]);
    expect([started!.status, forbidden!.status]).toEqual([200, 200]);
    expect((await rowsOf(app, claimed)).runs).toHaveLength(1);
  });

  it('is refused when it was second', async () => {
    const [forbidden, refused] = await inOrder(table, [act, () => start(app, claimed)]);
    expect([forbidden!.status, refused!.status]).toEqual([200, 409]);
    expect(refused!.body.error.issues[0].code).toBe(issue);
    expect((await rowsOf(app, claimed)).runs).toEqual([]);
  });
});

describe('many starts against a stop', () => {
  it('none is answered 200 that began after the stop was answered', async () => {
    await app.db.query(`update organization_capacity set max_live_runs = 100 where organization_id = $1`, [
      organization.id,
    ]);
    await app.db.query(`update profile_capacity set max_live_runs = 100 where organization_id = $1`, [organization.id]);
    await queueTasks(app, organization.id, 30);
    const claims = (await claim(app, organization.id, { limit: 30 })).body.data as Claimed[];
    let stopped = false;
    const late: number[] = [];
    const starts = claims.map(async (each, place) => {
      if (place > 20) await until('the stop is answered', () => stopped);
      const after = stopped;
      const { status } = await start(app, each);
      if (after) late.push(status);
      return status;
    });
    const stop = FORBIDS['a stop']!.act().then(() => (stopped = true));
    const statuses = await Promise.all(starts);
    await stop;
    expect(late.length).toBeGreaterThanOrEqual(9);
    expect(new Set(late)).toEqual(new Set([409]));
    const { rows } = await app.db.query<{ runs: number }>(
      `select count(*)::int as runs from run where organization_id = $1`,
      [organization.id],
    );
    expect(rows[0]!.runs).toBe(statuses.filter((status) => status === 200).length);
  });
});
