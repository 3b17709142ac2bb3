import { describe, expect, it } from '@jest/globals';
import { organizationOf } from '../../support/client.ts';
import { createTask } from '../../support/factories/tasks.ts';
import { useTestApp } from '../../support/use-test-app.ts';

const one = useTestApp();
const other = useTestApp();

describe('an owner who becomes a viewer', () => {
  it('changes nothing any more through any replica, from the answer on, and goes on reading', async () => {
    const [owner, member] = [await one.person(), await one.person()];
    const organizationId = await organizationOf(owner);
    const path = `/organizations/${organizationId}/members/${member.subject}`;
    const elsewhere = other.client(member.token);
    for (let round = 0; round < 5; round += 1) {
      await owner.put(path, { role: 'owner' });
      await createTask(elsewhere, organizationId);
      await owner.put(path, { role: 'viewer' });
      const refused = await elsewhere.post(`/organizations/${organizationId}/chats`, { title: 'Too late' });
      expect([refused.status, refused.body.error.issues[0].code]).toEqual([401, 'not_in_scope']);
      expect((await elsewhere.get(`/organizations/${organizationId}/tasks`)).body.data).toHaveLength(round + 1);
    }
  });
});

describe('a limited token', () => {
  it('is limited on replicas that looked it up and on others, and its subject’s other tokens are not', async () => {
    const owner = await one.person();
    const [here, there] = [await organizationOf(owner), await organizationOf(owner)];
    const { body } = await owner.post('/owner-tokens', { name: 'ci', scopes: ['read'], organizationIds: [here] });
    for (const replica of [one, other, other]) {
      const [limited, whole] = [replica.client(body.data.token), replica.client(owner.token)];
      const read = async (client: typeof whole, id: string) => (await client.get(`/organizations/${id}`)).status;
      const write = async (client: typeof whole, id: string) =>
        (await client.patch(`/organizations/${id}`, { timezone: 'Europe/Berlin' })).status;
      // Alternating and at once: reads of one subject share their round trips.
      expect(
        await Promise.all([read(limited, here), read(whole, there), read(limited, there), read(whole, here)]),
      ).toEqual([200, 200, 404, 200]);
      expect(await Promise.all([write(limited, here), write(whole, here), write(whole, there)])).toEqual([
        401, 200, 200,
      ]);
      const listed = await Promise.all(
        [limited, whole].map(async (client) => (await client.get('/organizations')).body),
      );
      expect(listed.map(({ data }) => data.map(({ id }: { id: string }) => id))).toEqual([[here], [there, here]]);
    }
  });
});
