import { describe, expect, it } from '@jest/globals';
import { OwnerIdentities } from '../../../src/kernel/auth/index.ts';
import { until } from '../../support/until.ts';
import { useTestApp } from '../../support/use-test-app.ts';

const one = useTestApp();
const other = useTestApp();

describe('a revoked owner token', () => {
  it('opens nothing any more, on the replica that answered and on others that had cached it', async () => {
    const person = await one.person();
    const elsewhere = other.client(person.token);
    expect([(await person.get('/organizations')).status, (await elsewhere.get('/organizations')).status]).toEqual([
      200, 200,
    ]);
    await one.bootstrap.delete(`/owner-tokens/${person.tokenId}`);
    expect((await person.get('/organizations')).status).toBe(401);
    // Long before the cache would have forgotten it by itself.
    await until('the other replica refuses it', async () => (await elsewhere.get('/organizations')).status === 401);
  });

  it('is not remembered when it was revoked while it was looked up', async () => {
    const person = await one.person();
    const holder = await one.db.connect();
    await holder.query('begin');
    // The first lookup notes the token's use, and waits for whoever holds its row.
    await holder.query('select from owner_token where id = $1 for update', [person.tokenId]);
    const overlapping = person.get('/organizations');
    await until('the lookup waits for the row', async () => {
      const { rowCount } = await one.db.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return rowCount === 1;
    });
    one.app.get(OwnerIdentities).revoked(person.tokenId);
    await holder.query('commit');
    holder.release();
    expect((await overlapping).status).toBe(200);
    await one.db.query('delete from owner_token where id = $1', [person.tokenId]);
    expect((await person.get('/organizations')).status).toBe(401);
  });

  it('is noticed by a replica whose listening connection was cut, once it listens again', async () => {
    const person = await one.person();
    const elsewhere = other.client(person.token);
    await elsewhere.get('/organizations');
    await one.db.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name = 'business-runner-events'`,
    );
    await one.bootstrap.delete(`/owner-tokens/${person.tokenId}`);
    await until('the other replica refuses it', async () => (await elsewhere.get('/organizations')).status === 401);
  });
});
