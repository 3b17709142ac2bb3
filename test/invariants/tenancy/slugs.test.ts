import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { createOrganization } from '../../support/client.ts';
import { useTestApp, usePerson } from '../../support/use-test-app.ts';

const AT_ONCE = 20;

describe('a slug names one organization', () => {
  const app = useTestApp();
  const owner = usePerson(app);

  it('of many that are created at once under one name, by people who do not know each other', async () => {
    const name = `Twin ${randomUUID().slice(0, 8)}`;
    const people = await Promise.all(Array.from({ length: 4 }, () => app.person()));
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, n) => createOrganization(people[n % 4]!, { name })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(AT_ONCE).fill(201));
    const base = name.toLowerCase().replace(' ', '-');
    const wanted = Array.from({ length: AT_ONCE }, (_, n) => (n === 0 ? base : `${base}-${n + 1}`));
    expect(answers.map(({ body }) => String(body.data.organization.slug)).sort()).toEqual(wanted.sort());
  });

  it('also when the one that has it is deleted meanwhile', async () => {
    const name = `Heir ${randomUUID().slice(0, 8)}`;
    const { organization } = (await createOrganization(owner, { name })).body.data;
    const [deleted, ...created] = await Promise.all([
      owner.delete(`/organizations/${organization.id}`),
      ...Array.from({ length: 5 }, () => createOrganization(owner, { name })),
    ]);
    expect([deleted.status, ...created.map(({ status }) => status)]).toEqual([200, 201, 201, 201, 201, 201]);
    expect(new Set(created.map(({ body }) => body.data.organization.slug)).size).toBe(5);
  });
});
