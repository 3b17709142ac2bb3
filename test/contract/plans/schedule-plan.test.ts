import { beforeAll, describe, expect, it } from '@jest/globals';
import { Transactions } from '../../../src/kernel/database/index.ts';
import {
  DUE_LIMIT,
  type DueSchedule,
  dueSchedules,
} from '../../../src/modules/schedules/firing/schedule-firing.queries.ts';
import { organizationOf } from '../../support/client.ts';
import { explain, nodes } from '../../support/database/query-plans.ts';
import { copySchedule, createSchedule } from '../../support/factories/schedules.ts';
import { useTestApp } from '../../support/use-test-app.ts';

const SCHEDULES = 20_000;
const ORGANIZATIONS = 5;
/** More than one look finds. */
const DUE = 150;

const app = useTestApp({ ownDatabase: true });
beforeAll(async () => {
  const owner = await app.person();
  for (let n = 0; n < ORGANIZATIONS; n += 1) {
    const { id } = await createSchedule(app, await organizationOf(owner));
    await copySchedule(app, id, SCHEDULES / ORGANIZATIONS - 1);
  }
  await app.db.query(
    `update schedule set next_run_at = clock_timestamp() - interval '1 minute'
     where id in (select id from schedule order by id limit ${DUE})`,
  );
}, 60_000);

const look = (after: DueSchedule | undefined) => app.app.get(Transactions).dispatch((run) => run(dueSchedules(after)));

describe(`the plan of the tick over ${SCHEDULES} schedules of which ${DUE} are due`, () => {
  it.each([
    ['fresh statistics', true, false],
    ['a generic plan', true, true],
    ['no statistics', false, false],
  ])('walks the index of due schedules, no further than they go, with %s', async (_what, analyzed, generic) => {
    if (analyzed) await app.db.query('analyze');
    else
      await app.db.query(`delete from pg_statistic where starelid in ('schedule'::regclass, 'organization'::regclass)`);
    // The first look is full, the second ends where nothing more is due.
    const first = await look(undefined);
    for (const [after, rows] of [
      [undefined, DUE_LIMIT],
      [first.at(-1), DUE - DUE_LIMIT],
    ] as const) {
      const all = [...nodes(await explain(app, dueSchedules(after), generic))];
      const walks = all.filter((node) => node['Index Name'] === 'schedule_due');
      expect(walks).toHaveLength(1);
      // Knowing nothing of the table, the planner may collect and sort whatever is due, and still nothing that is not.
      if (analyzed)
        expect(walks[0]).toMatchObject({ 'Node Type': expect.stringMatching(/^Index/), 'Actual Rows': rows });
      expect(walks[0]!['Actual Rows']).toBeLessThanOrEqual(DUE);
      const scans = all.filter((node) => node['Node Type'] === 'Seq Scan').map((node) => node['Relation Name']);
      expect(scans).not.toContain('schedule');
    }
  });

  it('finds each of them once, look by look, oldest first', async () => {
    const first = await look(undefined);
    const rest = await look(first.at(-1));
    expect([first.length, rest.length]).toEqual([DUE_LIMIT, DUE - DUE_LIMIT]);
    expect(new Set([...first, ...rest].map(({ id }) => id)).size).toBe(DUE);
    expect(await look(rest.at(-1))).toEqual([]);
  });
});
