import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { createOrganization } from '../../support/client.ts';
import { costOf } from '../../support/database/round-trips.ts';
import { claimTurns, waitingTurn } from '../../support/factories/turns.ts';
import { claim, queueTasks } from '../../support/factories/work.ts';
import { useOrganization } from '../../support/use-test-app.ts';

/** What a claim names that nobody has is named in its answer, and stops nothing else. */
const { app, organization } = useOrganization({ per: 'test' });

const NO_ORGANIZATION = {
  code: 'unknown_reference',
  message: 'names no organization: there is none, or it was deleted',
};
const NO_PROFILE = {
  code: 'unknown_reference',
  message: 'is the key of no agent profile that the claim could take work for',
};

describe('a claim of work', () => {
  it('names unknown and deleted organizations and keys that nobody has, and hands out what there is', async () => {
    await queueTasks(app, organization.id, 1);
    const gone = (await createOrganization(app.bootstrap)).body.data.organization.id as string;
    await app.bootstrap.delete(`/organizations/${gone}`);
    const { status, body } = await claim(app, organization.id, {
      organizationIds: [randomUUID(), organization.id, gone],
      profileKeys: ['growth', 'growht'],
      limit: 2,
    });
    expect([status, body.data.length]).toEqual([200, 1]);
    expect(body.meta.warnings).toEqual([
      { path: 'organizationIds.0', ...NO_ORGANIZATION },
      { path: 'organizationIds.2', ...NO_ORGANIZATION },
      { path: 'profileKeys.1', ...NO_PROFILE },
    ]);
  });

  it('looks for a key in the organizations that it names, and in all where it names none', async () => {
    const other = (await createOrganization(app.bootstrap)).body.data.organization.id as string;
    const profile = { key: `only-${other.slice(0, 8)}`, name: 'Only', kind: 'department', department: 'growth' };
    expect((await app.bootstrap.post(`/organizations/${other}/agent-profiles`, profile)).status).toBe(201);
    const named = { profileKeys: [profile.key] };
    expect((await claim(app, organization.id, named)).body.meta.warnings).toEqual([
      { path: 'profileKeys.0', ...NO_PROFILE },
    ]);
    expect(
      (await claim(app, organization.id, { ...named, organizationIds: undefined })).body.meta.warnings,
    ).toBeUndefined();
  });

  it('names at most 20, and none where all is there', async () => {
    const unknown = Array.from({ length: 25 }, () => randomUUID());
    expect((await claim(app, organization.id, { organizationIds: unknown })).body.meta.warnings).toHaveLength(20);
    expect((await claim(app, organization.id)).body.meta.warnings).toBeUndefined();
  });

  it('looks only where it got less than it asked for, and once for equal filters', async () => {
    await queueTasks(app, organization.id, 2);
    const filters = { organizationIds: [organization.id, randomUUID()] };
    expect(await costOf(() => claim(app, organization.id, filters))).toHaveLength(1);
    const looked = claim(app, organization.id, { ...filters, limit: 5 });
    expect((await looked).body.meta.warnings).toHaveLength(1);
    await queueTasks(app, organization.id, 1);
    let warned;
    expect(await costOf(async () => (warned = await claim(app, organization.id, filters)))).toHaveLength(1);
    expect(warned).toMatchObject({ body: { data: [{}], meta: { warnings: [{ path: 'organizationIds.1' }] } } });
  });
});

it('a claim of turns says the same', async () => {
  await waitingTurn(app, organization.id);
  const { body } = await claimTurns(app, organization.id, {
    organizationIds: [randomUUID(), organization.id],
    limit: 2,
  });
  expect(body.data).toHaveLength(1);
  expect(body.meta.warnings).toEqual([{ path: 'organizationIds.0', ...NO_ORGANIZATION }]);
});
