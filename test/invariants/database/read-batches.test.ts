import { beforeAll, describe, expect, it } from '@jest/globals';
import { Reads, type Statement, sql } from '../../../src/kernel/database/index.ts';
import { isPooled } from '../../support/database/test-database.ts';
import { entrant } from '../../support/client.ts';
import { until } from '../../support/until.ts';
import { useOrganization } from '../../support/use-test-app.ts';

// Named statements need connections to the server itself.
describe.each(isPooled ? ['off'] : ['on', 'off'])('reads with DATABASE_PREPARED=%s', (DATABASE_PREPARED) => {
  // Few connections, so that each of them is used again after whatever happened on it.
  const { app, owner, organization } = useOrganization({ env: { DATABASE_PREPARED, DATABASE_POOL_SIZE: '2' } });
  let reads: Reads;

  beforeAll(() => {
    reads = app.app.get(Reads);
  });

  const inOrganization = <Row>(query: Statement<Row>) =>
    reads.inOrganization(entrant(owner.subject), organization.id, query);

  it('see the context that stands before them, and leave none behind', async () => {
    const settings = sql`select current_setting('app.org', true) as organization, current_user as role`;
    expect(await inOrganization(settings)).toEqual([{ organization: organization.id, role: 'br_app' }]);
    expect(await reads.asSubject('token:nobody', settings)).toEqual([{ organization: '', role: 'br_app' }]);
  });

  it('are one transaction', async () => {
    const [first] = await inOrganization(sql<{ id: string }>`select pg_current_xact_id()::text as id`);
    const [second] = await inOrganization(sql<{ id: string }>`select pg_current_xact_id()::text as id`);
    expect(first!.id).not.toBe(second!.id);
    // The administrator's count is written by the statement before the one that fails, and goes with it.
    const failing = reads.inOrganization(entrant('bootstrap'), organization.id, sql`select 1 / ${0}::int`);
    await expect(failing).rejects.toMatchObject({ code: '22012' });
    const { body } = await owner.get(`/organizations/${organization.id}/activity?verb=bootstrap.used`);
    expect(body.data).toEqual([]);
  });

  it('that fail leave their connection usable, for the same statements too', async () => {
    for (let round = 0; round < 6; round += 1) {
      const outcomes = await Promise.allSettled([
        inOrganization(sql`select 1 / ${round % 2}::int as one`),
        inOrganization(sql`select ${1}::int as one`),
        inOrganization(sql.raw(`select no_such_column_${round}`)),
        inOrganization(sql`select 1 / ${1}::int as one`),
        owner.get(`/organizations/${organization.id}`),
      ]);
      expect(outcomes.map(({ status }) => status)).toEqual([
        round % 2 ? 'fulfilled' : 'rejected',
        'fulfilled',
        'rejected',
        'fulfilled',
        'fulfilled',
      ]);
    }
  });

  it('give up a connection that is cut under them, and go on with others', async () => {
    const cut = inOrganization(sql`select pg_sleep(30)`).catch((error: unknown) => error);
    await until('it is at work, and cut', async () => {
      const { rowCount } = await app.db.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and state = 'active' and query = 'select pg_sleep(30)'`,
      );
      return rowCount === 1;
    });
    expect(await cut).toMatchObject({ code: '57P01' });
    expect((await owner.get(`/organizations/${organization.id}`)).status).toBe(200);
  });
});
