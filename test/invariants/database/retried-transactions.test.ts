import { beforeAll, describe, expect, it } from '@jest/globals';
import { sql, Transactions } from '../../../src/kernel/database/index.ts';
import { entrant } from '../../support/client.ts';
import { useOrganization } from '../../support/use-test-app.ts';

const { app, owner, organization } = useOrganization();
let transactions: Transactions;

beforeAll(() => {
  transactions = app.app.get(Transactions);
});

function rename(key: string, name: string) {
  return sql`update agent_profile set name = name || ${name} where organization_id = ${organization.id} and key = ${key}`;
}

/** Renames two profiles in the given order; waits in between, the first time, until both transactions hold one. */
function renameBoth([first, second]: readonly [string, string], name: string, meet: () => Promise<void>) {
  let attempts = 0;
  return transactions.inOrganization(entrant(owner.subject), organization.id, async (tx) => {
    attempts += 1;
    await tx.rows(rename(first, name));
    if (attempts === 1) await meet();
    await tx.rows(rename(second, name));
    return attempts;
  });
}

describe('a transaction', () => {
  it('that the database ended as a deadlock runs again, and its work is there once', async () => {
    const both = Promise.withResolvers<void>();
    let arrived = 0;
    const meet = () => {
      arrived += 1;
      if (arrived === 2) both.resolve();
      return both.promise;
    };
    const attempts = await Promise.all([
      renameBoth(['growth', 'support'], 'x', meet),
      renameBoth(['support', 'growth'], 'y', meet),
    ]);
    expect(attempts.toSorted((a, b) => a - b)).toEqual([1, 2]);
    const { body } = await owner.get(
      `/organizations/${organization.id}/agent-profiles?department=growth&department=support`,
    );
    for (const { name } of body.data as { name: string }[]) expect(name).toMatch(/^(Growth|Support)(xy|yx)$/);
  });

  it('that goes on failing so is given up after five attempts, as a passing fault', async () => {
    let attempts = 0;
    const hopeless = transactions.inOrganization(entrant(owner.subject), organization.id, (tx) => {
      attempts += 1;
      return tx.rows(sql`do $$ begin raise exception 'again' using errcode = '40001'; end $$`);
    });
    await expect(hopeless).rejects.toMatchObject({ code: '40001' });
    expect(attempts).toBe(5);
  });

  it('that fails otherwise is not repeated, and leaves nothing', async () => {
    let attempts = 0;
    const failing = transactions.inOrganization(entrant(owner.subject), organization.id, async (tx) => {
      attempts += 1;
      await tx.rows(rename('operator', ' never'));
      throw new Error('expected by the test');
    });
    await expect(failing).rejects.toThrow('expected by the test');
    expect(attempts).toBe(1);
    const { body } = await owner.get(`/organizations/${organization.id}/agent-profiles?kind=operator`);
    expect(body.data[0].name).not.toContain('never');
  });
});
