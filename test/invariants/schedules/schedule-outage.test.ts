import { describe, expect, it } from '@jest/globals';
import { nextSlot, type Trigger } from '../../../src/modules/schedules/schedule-trigger.ts';
import { organizationOf } from '../../support/client.ts';
import { createSchedule, makeDue } from '../../support/factories/schedules.ts';
import { usePerson, useTestApp } from '../../support/use-test-app.ts';

const one = useTestApp();
const other = useTestApp();
const owner = usePerson(one);

const minutes = (from: string, to: string) => Temporal.Instant.from(to).since(from).total('minutes');

describe('three days without a service', () => {
  it.each([
    ['every hour', { kind: 'interval', everyMinutes: 60, timezone: 'UTC' }, 72],
    ['every five minutes', { kind: 'interval', everyMinutes: 5, timezone: 'UTC' }, 864],
    ['every minute by cron', { kind: 'cron', expression: '* * * * *', timezone: 'Europe/Berlin' }, 4_320],
    ['every six hours by cron', { kind: 'cron', expression: '0 */6 * * *', timezone: 'America/New_York' }, 12],
    ['every month by cron', { kind: 'cron', expression: '0 0 1 * *', timezone: 'UTC' }, undefined],
  ] as const)('make up for one slot: %s', async (_what, trigger: Trigger, missed) => {
    const organizationId = await organizationOf(owner);
    const path = `/organizations/${organizationId}`;
    const { id } = await createSchedule(one, organizationId);
    // As an earlier release let it in, where it fires more often than one may now.
    await one.db.query('update schedule set trigger = $2 where id = $1', [id, JSON.stringify(trigger)]);
    const slot = await makeDue(one, id, '3 days');
    await Promise.all([one, other].map((app) => app.runJob('schedules-fire')));
    await Promise.all([one, other].map((app) => app.runJob('schedules-fire')));

    const { body: tasks } = await owner.get(`${path}/tasks`);
    expect(tasks.data).toMatchObject([{ dedupeKey: `schedule:${id}:${slot}` }]);
    const { body: schedule } = await owner.get(`${path}/schedules/${id}`);
    const { nextRunAt, state, lastRunAt } = schedule.data as {
      nextRunAt: string;
      lastRunAt: string;
      state: { missedCount: number };
    };
    // A slot may come between the start of the outage and now, give or take the one at its very end.
    if (missed !== undefined) expect(Math.abs(state.missedCount - missed)).toBeLessThanOrEqual(1);
    expect(nextRunAt > lastRunAt).toBe(true);
    if (trigger.kind === 'interval')
      expect(minutes(slot, nextRunAt)).toBe((state.missedCount + 1) * trigger.everyMinutes);
    else expect(nextRunAt).toBe(nextSlot(trigger, lastRunAt));

    const { rows } = await one.db.query<{ status: string; reason: string | null; at: string }>(
      `select status, reason, to_char(planned_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at
       from schedule_occurrence where schedule_id = $1 order by planned_at`,
      [id],
    );
    const [taken, ...passed] = rows;
    expect(taken).toEqual({ status: 'created', reason: null, at: slot });
    expect(passed).toHaveLength(Math.min(state.missedCount, 100));
    expect(passed.every(({ status, reason }) => status === 'skipped' && reason === 'missed')).toBe(true);
    // The newest are recorded: behind the last there is only the next.
    if (passed.length > 0) expect(nextSlot(trigger, passed.at(-1)!.at, slot)).toBe(nextRunAt);
  });
});
