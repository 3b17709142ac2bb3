import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { Answer } from '../../support/client.ts';
import {
  complete,
  materialOf,
  nameDetails,
  onboardingOf,
  onboardingPath,
  reviewed,
  sourceOf,
  sourcePath,
  storeSource,
} from '../../support/factories/onboardings.ts';
import { usePerson, useTestApp } from '../../support/use-test-app.ts';

const app = useTestApp({ ownDatabase: true });
const owner = usePerson(app);
const ROUNDS = Number(process.env.ONBOARDING_ROUNDS ?? 4);

const statusesOf = (answers: readonly Answer[]) => answers.map(({ status }) => status);
const record = async (id: string) => (await owner.get(onboardingPath(id))).body.data;

/** An onboarding with a source whose review may be completed. */
async function readyToComplete() {
  const organizationId = await onboardingOf(owner);
  await nameDetails(owner, organizationId);
  const sourceId = await sourceOf(owner, organizationId, { bytes: 'We sell blue paint.' });
  const { review } = await reviewed(app, owner, organizationId);
  return { organizationId, sourceId, body: { reviewSha256: review.sha256 as string } };
}

describe('calls that meet', () => {
  it('complete an onboarding once', async () => {
    const { organizationId, body } = await readyToComplete();
    const answers = await Promise.all(Array.from({ length: 6 }, () => complete(owner, organizationId, body)));
    expect(new Set(statusesOf(answers))).toEqual(new Set([200]));
    const { rows } = await app.db.query(
      `select (select count(*)::int from agent_profile where organization_id = $1) as profiles,
         (select count(*)::int from chat where organization_id = $1) as chats,
         (select count(*)::int from knowledge where organization_id = $1) as records`,
      [organizationId],
    );
    expect(rows).toEqual([{ profiles: 4, chats: 2, records: 1 }]);
  });

  it('complete what was reviewed, or find it changed', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { organizationId, sourceId, body } = await readyToComplete();
      const [completed, stored] = await Promise.all([
        complete(owner, organizationId, body),
        storeSource(owner, organizationId, { sourceId, bytes: 'We sell red paint.' }),
      ]);
      const { state, sources } = await record(organizationId);
      const isCompleted = state === 'completed';
      expect([completed.status, stored.status]).toEqual(isCompleted ? [200, 409] : [409, 201]);
      expect(sources[0].sizeBytes).toBe(isCompleted ? 19 : 18);
      expect(await materialOf(app, organizationId)).toEqual({ sources: 1, uploads: 0, objects: 1 });
    }
  });

  it('complete an onboarding, or discard it', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { organizationId, body } = await readyToComplete();
      const [completed, discarded] = await Promise.all([
        complete(owner, organizationId, body),
        owner.delete(onboardingPath(organizationId)),
      ]);
      const { status } = await owner.get(`/organizations/${organizationId}`);
      expect([completed.status, discarded.status]).toEqual(status === 200 ? [200, 409] : [404, 200]);
    }
  });

  it('review sources as they were, or find that they changed', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const organizationId = await onboardingOf(owner);
      const sourceId = await sourceOf(owner, organizationId, { bytes: 'First.' });
      const [started, stored] = await Promise.all([
        owner.post(`${onboardingPath(organizationId)}/start`),
        storeSource(owner, organizationId, { sourceId, bytes: 'Second one.' }),
        app.runJob('onboarding-reviews'),
      ]);
      expect(started.status).toBe(200);
      expect([201, 409]).toContain(stored.status);
      await app.runJob('onboarding-reviews');
      const { state, review, sources } = await record(organizationId);
      if (state === 'review_ready') expect(review.sources[0].sha256).toBe(sources[0].sha256);
      else expect([state, review]).toEqual(['draft', null]);
    }
  });

  it('store one source under an id, whichever comes last', async () => {
    const organizationId = await onboardingOf(owner);
    const sourceId = randomUUID();
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        storeSource(owner, organizationId, { sourceId, bytes: `No. ${index % 3}` }),
      ),
    );
    expect(new Set(statusesOf(answers))).toEqual(new Set([201]));
    expect(await materialOf(app, organizationId)).toEqual({ sources: 1, uploads: 0, objects: 1 });
    const [source] = (await record(organizationId)).sources;
    expect((await owner.get(`${sourcePath(organizationId, sourceId)}/content`)).text).toMatch(/^No\. [012]$/);
    expect(answers.map(({ body }) => body.data.sha256)).toContain(source.sha256);
  });

  it('hold at most 50 sources', async () => {
    const organizationId = await onboardingOf(owner);
    for (let nth = 0; nth < 48; nth += 8)
      await Promise.all(Array.from({ length: 8 }, () => sourceOf(owner, organizationId)));
    const answers = await Promise.all(Array.from({ length: 5 }, () => storeSource(owner, organizationId)));
    expect(statusesOf(answers).toSorted((a, b) => a - b)).toEqual([201, 201, 409, 409, 409]);
    expect(await materialOf(app, organizationId)).toEqual({ sources: 50, uploads: 0, objects: 50 });
  });

  it('leave what an upload brings to an onboarding that is discarded meanwhile', async () => {
    const organizationId = await onboardingOf(owner);
    const [stored, discarded] = await Promise.all([
      storeSource(owner, organizationId, { bytes: Buffer.alloc(1_000_000, 'x') }),
      owner.delete(onboardingPath(organizationId)),
    ]);
    expect(discarded.status).toBe(200);
    expect([201, 404]).toContain(stored.status);
    await app.runJob('organization-purge');
    await app.runJob('organization-purge');
    expect(await materialOf(app, organizationId)).toMatchObject({ sources: 0, uploads: 0 });
  });
});
