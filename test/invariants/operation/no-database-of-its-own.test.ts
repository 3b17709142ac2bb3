import { expect, it } from '@jest/globals';
import { TestApp } from '../../support/test-app.ts';

it('a service makes no database: it works in the one that it was given', async () => {
  const app = await TestApp.start();
  try {
    // The first transaction on entities of the process.
    await app.person();
    const { rows } = await app.db.query(`select datname from pg_database where datname = 'business_runner'`);
    expect(rows).toEqual([]);
  } finally {
    await app.close();
  }
});
