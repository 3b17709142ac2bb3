import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Client, organizationOf } from '../../support/client.ts';
import { useTestApp } from '../../support/use-test-app.ts';

const ROUNDS = 25;
const toViewer = (by: Client, path: string) => by.put(path, { role: 'viewer' });

describe('an organization keeps an owner', () => {
  const app = useTestApp();
  let first: Client & { subject: string };
  let second: Client & { subject: string };

  beforeAll(async () => {
    [first, second] = [await app.person(), await app.person()];
  });

  it.each([
    ['remove each other', () => [second.subject, first.subject], (by: Client, path: string) => by.delete(path)],
    ['leave', () => [first.subject, second.subject], (by: Client, path: string) => by.delete(path)],
    ['make each other viewers', () => [second.subject, first.subject], toViewer],
    ['become viewers', () => [first.subject, second.subject], toViewer],
  ])('when its two owners %s at once', async (_what, subjects, act) => {
    let conflicts = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const id = await organizationOf(first);
      const path = (subject: string) => `/organizations/${id}/members/${encodeURIComponent(subject)}`;
      await first.put(path(second.subject), { role: 'owner' });
      const [ofFirst, ofSecond] = subjects();
      const answers = await Promise.all([act(first, path(ofFirst!)), act(second, path(ofSecond!))]);
      const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
      // The later one is too late in its transaction (409) or comes when it is no member (404) or owner (401) any more.
      expect([
        [200, 401],
        [200, 404],
        [200, 409],
      ]).toContainEqual(statuses);
      if (statuses[1] === 409) conflicts += 1;
      const { rowCount } = await app.db.query(`select from membership where organization_id = $1 and role = 'owner'`, [
        id,
      ]);
      expect(rowCount).toBe(1);
    }
    // Rounds in which both were owners when they began: without them nothing was tried.
    expect(conflicts).toBeGreaterThan(0);
  });
});
