import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { organizationOf } from '../../support/client.ts';
import { copySchedule, createSchedule } from '../../support/factories/schedules.ts';
import { useTestApp } from '../../support/use-test-app.ts';

const SCHEDULES = 20;
const YEARS = 5;

const app = useTestApp();

/** CPU time of this thread in ms: of a busy machine it takes no notice. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

describe(`${SCHEDULES} schedules of every five minutes that nothing took for ${YEARS} years`, () => {
  it('are counted while the process answers, and are right', async () => {
    const organizationId = await organizationOf(await app.person());
    const { id } = await createSchedule(app, organizationId);
    await copySchedule(app, id, SCHEDULES - 1);
    const trigger = { kind: 'cron', expression: '*/5 * * * *', timezone: 'Europe/Berlin' };
    await app.db.query(
      `update schedule set trigger = $2, next_run_at = date_trunc('day', clock_timestamp()) - $3::interval
       where organization_id = $1`,
      [organizationId, JSON.stringify(trigger), `${YEARS * 365} days`],
    );

    const turns: number[] = [];
    const done = new AbortController();
    const watch = (before: number) => {
      turns.push(cpuMs() - before);
      if (!done.signal.aborted) setImmediate(watch, cpuMs());
    };
    setImmediate(watch, cpuMs());
    const job = app.runJob('schedules-fire').finally(() => done.abort());
    let answers = 0;
    while (!done.signal.aborted) {
      expect((await app.anonymous.get('/health/live')).status).toBe(200);
      answers += 1;
      // A call without a socket lets nothing else have its turn.
      await nextTurn();
    }
    await job;
    // Counting takes slices of 4 ms, of which four may come together; a fire's own statements and the calls come on top.
    expect(Math.max(...turns)).toBeLessThan(100);
    expect(answers).toBeGreaterThan(SCHEDULES);

    const { rows } = await app.db.query<Record<string, string>>(
      `select count(*)::int as schedules, min(missed_count) as least, max(missed_count) as most,
         extract(epoch from clock_timestamp() - (date_trunc('day', clock_timestamp()) - $2::interval))::int / 300 as passed,
         bool_and(next_run_at > clock_timestamp() - interval '5 minutes') as ahead,
         (select count(*)::int from schedule_occurrence o where o.organization_id = $1 and o.reason = 'missed') as skipped,
         (select count(*)::int from task t where t.organization_id = $1) as tasks
       from schedule where organization_id = $1`,
      [organizationId, `${YEARS * 365} days`],
    );
    const [{ least, most, passed, ...rest } = {}] = rows;
    expect(rest).toEqual({ schedules: SCHEDULES, ahead: true, skipped: SCHEDULES * 100, tasks: SCHEDULES });
    // A slot may have come since.
    expect(Number(most) - Number(least)).toBeLessThanOrEqual(1);
    expect(Number(passed) - Number(most)).toBeGreaterThanOrEqual(0);
    expect(Number(passed) - Number(least)).toBeLessThanOrEqual(2);
  }, 60_000);
});
