import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { grantRows, integrationRow } from '../../support/factories/integrations/rows.ts';
import { publish, published, type Publisher, publisher } from '../../support/factories/knowledge.ts';
import { useTestApp, useWorkplace } from '../../support/use-test-app.ts';

/** Records that are read through connectors. */
const app = useTestApp();
const place = useWorkplace(app);

interface Standing {
  readonly key: 'search' | 'mail';
  readonly usable: boolean;
  /** The account behind it; null while it is disconnected. */
  readonly account: string | null;
}
const SEARCH: Standing = { key: 'search', usable: true, account: 'account-1' };
const MAIL: Standing = { key: 'mail', usable: true, account: 'account-2' };

const connectors = new Map<string, string>();
let growth: Publisher;
let support: Publisher;
beforeAll(async () => {
  for (const key of ['search', 'mail'])
    connectors.set(key, await integrationRow(app, place.organizationId, { row: { key } }));
  growth = await publisher(place, 'growth');
  support = await publisher(place, 'support');
});

/** Lets a profile use these connectors and no others, and changes what stands behind them for all. */
async function set(profile: string, ...all: readonly Standing[]): Promise<void> {
  await app.db.query('delete from integration_grant where organization_id = $1 and agent_profile_id = $2', [
    place.organizationId,
    place.profile(profile),
  ]);
  for (const { key, usable, account } of all) {
    const id = connectors.get(key)!;
    if (usable) await grantRows(app, place.organizationId, id, { [profile]: 'full' });
    await app.db.query('update integration_credential set identity = $2, state = $3 where integration_id = $1', [
      id,
      account,
      account === null ? 'reauthorization_required' : 'connected',
    ]);
  }
}
beforeEach(async () => {
  await set('growth', SEARCH, MAIL);
  await set('support', SEARCH);
});

const statusFor = async (by: Publisher, id: string) => (await by.agent.get(place.path(`/knowledge/${id}`))).status;
const seenBy = async (by: Publisher, word: string) => {
  const { body } = await by.agent.get(place.path(`/knowledge?search=${word}`));
  return (body.data.items as { id: string }[]).map(({ id }) => id);
};

describe('a record that requires connectors', () => {
  it('is read by who may use all of them, in every way to it; a cut grant works at the next read', async () => {
    const word = `w${randomUUID().slice(0, 7)}`;
    const through = { connectorKey: 'search', source: 'https://competitor.example', version: '1' };
    const { id, metadata } = await published(place, growth, {
      finding: `Of ${word}.`,
      visibility: 'restricted',
      requiredConnectorKeys: ['mail'],
      sourceVersions: [through],
    });
    expect(metadata.requiredConnectorKeys).toEqual(['mail', 'search']);
    expect([await statusFor(growth, id), await statusFor(support, id)]).toEqual([200, 404]);
    expect([await seenBy(growth, word), await seenBy(support, word)]).toEqual([[id], []]);
    await set('support', SEARCH, MAIL);
    expect([await statusFor(support, id), await seenBy(support, word)]).toEqual([200, [id]]);
    // A disabled connector hides a record without ageing it.
    await set('support', SEARCH, { ...MAIL, usable: false });
    expect([await statusFor(support, id), await seenBy(support, word)]).toEqual([404, []]);
    await set('growth', SEARCH, { ...MAIL, usable: false });
    const { body } = await place.owner.get(place.path(`/knowledge/${id}`));
    expect(body.data.freshness).toBe('current');
  });

  it('ages when what stands behind a connector changes, and is current again when it is back', async () => {
    const { id } = await published(place, growth, { requiredConnectorKeys: ['search'] });
    const freshness = async () => (await place.owner.get(place.path(`/knowledge/${id}`))).body.data.freshness;
    const listed = async (query: string) => {
      const { body } = await growth.agent.get(place.path(`/knowledge${query}`));
      return (body.data.items as { id: string }[]).some((each) => each.id === id);
    };
    expect([await freshness(), await listed('')]).toEqual(['current', true]);
    await set('growth', { ...SEARCH, account: 'account-9' }, MAIL);
    expect([await freshness(), await listed(''), await listed('?freshness=source_changed')]).toEqual([
      'source_changed',
      false,
      true,
    ]);
    // What cannot be used hides it from agents besides.
    await set('growth', { ...SEARCH, account: null }, MAIL);
    expect([await freshness(), await listed('?freshness=source_changed')]).toEqual(['source_changed', false]);
    await set('growth', SEARCH, MAIL);
    expect([await freshness(), await listed('')]).toEqual(['current', true]);
  });

  it('is superseded only by one that requires them too', async () => {
    const { id, metadata } = await published(place, growth, { requiredConnectorKeys: ['search'] });
    const wider = await publish(place, growth, { key: metadata.key });
    expect([wider.status, wider.body.error.issues]).toEqual([
      409,
      [expect.objectContaining({ path: 'requiredConnectorKeys', code: 'audience_widened' })],
    ]);
    const narrower = { key: metadata.key, requiredConnectorKeys: ['search', 'mail'] };
    expect(await published(place, growth, narrower)).toMatchObject({ supersedes: id });
    // What cannot be read cannot be superseded.
    const operator = await publisher(place, 'operator');
    const taken = await publish(place, operator, { key: metadata.key });
    expect(taken.body.error.issues[0].code).toBe('key_taken');
  });

  it('is refused for connectors that the author may not use', async () => {
    const { status, body } = await publish(place, support, {
      requiredConnectorKeys: ['search', 'mail'],
      sourceVersions: [{ source: 'Inbox', version: '1', connectorKey: 'mail' }],
    });
    expect([status, body.error.issues.map(({ path }: { path: string }) => path)]).toEqual([
      400,
      ['requiredConnectorKeys.1', 'sourceVersions.0.connectorKey'],
    ]);
  });
});
