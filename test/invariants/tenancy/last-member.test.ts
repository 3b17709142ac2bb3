import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Client, organizationOf } from '../../support/client.ts';
import { useTestApp } from '../../support/use-test-app.ts';

const ROUNDS = 25;

describe('an organization keeps a member', () => {
  const app = useTestApp();
  let first: Client & { subject: string };
  let second: Client & { subject: string };

  beforeAll(async () => {
    [first, second] = [await app.person(), await app.person()];
  });

  it.each([
    ['remove each other', () => [second.subject, first.subject]],
    ['leave', () => [first.subject, second.subject]],
  ])('when its two members %s at once', async (_what, subjects) => {
    let conflicts = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const id = await organizationOf(first);
      const path = (subject: string) => `/organizations/${id}/members/${encodeURIComponent(subject)}`;
      await first.put(path(second.subject), { role: 'owner' });
      const [ofFirst, ofSecond] = subjects();
      const answers = await Promise.all([first.delete(path(ofFirst!)), second.delete(path(ofSecond!))]);
      const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
      // The later one is too late in its transaction (409) or comes when it is no member any more (404).
      expect([
        [200, 404],
        [200, 409],
      ]).toContainEqual(statuses);
      if (statuses[1] === 409) conflicts += 1;
      const { rowCount } = await app.db.query('select 1 from membership where organization_id = $1', [id]);
      expect(rowCount).toBe(1);
    }
    // Rounds in which both were members when they began: without them nothing was tried.
    expect(conflicts).toBeGreaterThan(0);
  });
});
