import { expect, it } from '@jest/globals';
import { organizationOf } from '../../support/client.ts';
import { until } from '../../support/until.ts';
import { useTestApp } from '../../support/use-test-app.ts';

const app = useTestApp();
/** As many requests of one person are in the handlers at once. */
const AT_ONCE = 32;

it('a person’s requests wait for their turn behind 32 others of the same person, and nobody else’s do', async () => {
  const [owner, somebody] = [await app.person(), await app.person()];
  const organizationId = await organizationOf(owner);
  const holder = await app.db.connect();
  let answered = 0;
  const answers: Promise<unknown>[] = [];
  const send = (call: Promise<{ status: number }>) =>
    answers.push(call.then(({ status }) => ((answered += 1), expect(status).toBe(200))));
  try {
    await holder.query('begin');
    await holder.query('select from organization where id = $1 for update', [organizationId]);
    for (let n = 0; n < AT_ONCE; n += 1) send(owner.patch(`/organizations/${organizationId}`, { name: `Name ${n}` }));
    await until('the first one waits for the row', async () => {
      const { rowCount } = await app.db.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return rowCount !== null && rowCount > 0;
    });
    // It needs neither the row nor a connection of the organization's share.
    send(owner.get('/owner-tokens'));
    for (let n = 0; n < 5; n += 1) expect((await somebody.get('/owner-tokens')).status).toBe(200);
    expect(answered).toBe(0);
  } finally {
    await holder.query('rollback');
    holder.release();
  }
  await Promise.all(answers);
  expect(answered).toBe(AT_ONCE + 1);
});
