import type { TestApp } from '../test-app.ts';
import { until } from '../until.ts';

/**
 * Makes calls meet at a lock: holds the rows that `lock` selects until every call waits for a lock, in this order, then
 * lets go. Locks are handed on in the order in which they were asked for.
 */
export async function meetAtLock<T>(
  app: TestApp,
  lock: { readonly sql: string; readonly values: readonly unknown[] },
  calls: readonly (() => Promise<T>)[],
): Promise<T[]> {
  const holder = await app.db.connect();
  try {
    await holder.query('begin');
    await holder.query(lock.sql, [...lock.values]);
    const answers: Promise<T>[] = [];
    for (const call of calls) {
      answers.push(call());
      await untilLocked(app, answers.length);
    }
    await holder.query('commit');
    return await Promise.all(answers);
  } finally {
    await holder.query('rollback');
    holder.release();
  }
}

/** Waits until so many calls wait for a lock. */
export function untilLocked(app: TestApp, calls: number): Promise<void> {
  return until(`${calls} calls wait`, async () => {
    const { rows } = await app.db.query(
      `select count(*)::int as waiting from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rows[0].waiting >= calls;
  });
}

/** The lock that every move of a task takes. */
export function taskLock({ organizationId, taskId }: { readonly organizationId: string; readonly taskId: string }) {
  return {
    sql: 'select from task where organization_id = $1 and id = $2 for update',
    values: [organizationId, taskId],
  };
}
