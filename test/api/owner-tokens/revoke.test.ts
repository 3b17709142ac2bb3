import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { type Client } from '../../support/client.ts';
import { useTestApp, usePerson } from '../../support/use-test-app.ts';

const app = useTestApp();
const owner = usePerson(app);

const revoke = (id: string, by: Client = owner) => by.delete(`/owner-tokens/${id}`);

/** A second token of the owner's, used already, so that the process knows whose it is. */
async function second(): Promise<{ client: Client; id: string }> {
  const { body } = await owner.post('/owner-tokens', { name: 'second' });
  const client = app.client(body.data.token);
  expect((await client.get('/organizations')).status).toBe(200);
  return { client, id: body.data.id };
}

describe('DELETE /owner-tokens/{ownerTokenId}: 200', () => {
  it('ends the token at once, and no other', async () => {
    const [lost, kept] = [await second(), await second()];
    const listed = (await owner.get('/owner-tokens')).body.data.find(({ id }: { id: string }) => id === lost.id);
    const { status, body } = await revoke(lost.id);
    expect(status).toBe(200);
    expect(body.data).toEqual(listed);
    const after = await lost.client.get('/organizations');
    expect(after.status).toBe(401);
    expect(after.body.error.code).toBe('owner_unauthorized');
    expect(after.headers['www-authenticate']).toBe('Bearer');
    expect((await kept.client.get('/organizations')).status).toBe(200);
    expect((await owner.get('/owner-tokens')).text).not.toContain(lost.id);
  });

  it('lets a token end itself, and one end another of the same person', async () => {
    const itself = await second();
    expect((await revoke(itself.id, itself.client)).status).toBe(200);
    expect((await itself.client.get('/organizations')).status).toBe(401);
    const [one, other] = [await second(), await second()];
    expect((await revoke(one.id, other.client)).status).toBe(200);
    expect((await one.client.get('/organizations')).status).toBe(401);
  });

  it('lets the administrator end everybody’s', async () => {
    const { client, id } = await second();
    expect((await revoke(id, app.bootstrap)).body.data).toMatchObject({ id, subject: owner.subject });
    expect((await client.get('/organizations')).status).toBe(401);
  });
});

describe('DELETE /owner-tokens/{ownerTokenId}: 400', () => {
  it('refuses what is no UUID', async () => {
    const { status, body } = await revoke('laptop');
    expect(status).toBe(400);
    expect(body.error.issues).toMatchObject([{ path: 'ownerTokenId', code: 'invalid_uuid' }]);
  });
});

describe('DELETE /owner-tokens/{ownerTokenId}: 404', () => {
  it('for a token that is unknown, revoked already, or somebody else’s', async () => {
    const gone = await second();
    await revoke(gone.id);
    const stranger = await app.person();
    for (const answer of [
      await revoke(randomUUID()),
      await revoke(randomUUID(), app.bootstrap),
      await revoke(gone.id),
      await revoke(owner.tokenId, stranger),
    ]) {
      expect(answer.status).toBe(404);
      expect(answer.body.error.code).toBe('not_found');
    }
    expect((await owner.get('/organizations')).status).toBe(200);
  });
});
