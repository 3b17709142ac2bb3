import { describe, expect, it } from '@jest/globals';
import { canonicalDigest } from '../../../src/kernel/crypto/index.ts';
import { COMPANY_DOCUMENTS } from '../../support/documents/company-documents.ts';
import {
  complete,
  nameDetails,
  onboardingOf,
  reviewed,
  sourceOf,
  sourcePath,
} from '../../support/factories/onboardings.ts';
import { startClaimed } from '../../support/factories/work.ts';
import { usePerson, useTestApp } from '../../support/use-test-app.ts';

const app = useTestApp({ ownDatabase: true });
const owner = usePerson(app);

/** The whole way, with a real file of each kind that a company has. */
describe('a company that signs up with its files', () => {
  it('ends with agents that know what they say', async () => {
    const organizationId = await onboardingOf(owner);
    await nameDetails(owner, organizationId);
    const names = new Map<string, string>();
    for (const { fileName, mediaType, bytes } of COMPANY_DOCUMENTS)
      names.set(await sourceOf(owner, organizationId, { fileName, mediaType, bytes }), fileName);

    const { state, review, error } = await reviewed(app, owner, organizationId);
    expect([state, error]).toEqual(['review_ready', null]);
    const warned = review.warnings.map(
      ({ code, sourceId }: { code: string; sourceId: string }) => `${names.get(sourceId)}: ${code}`,
    );
    expect(new Set(warned)).toEqual(
      new Set(COMPANY_DOCUMENTS.flatMap(({ fileName, warning }) => (warning ? [`${fileName}: ${warning}`] : []))),
    );
    expect(review.warnings).toHaveLength(3);
    const { sha256, ...document } = review;
    expect(sha256).toBe(canonicalDigest(document));
    expect((await reviewed(app, owner, organizationId)).review).toEqual(review);

    const completed = await complete(owner, organizationId, { reviewSha256: sha256, allowWarnings: true });
    expect([completed.status, completed.body.data.state, completed.body.data.organization.status]).toEqual([
      200,
      'completed',
      'active',
    ]);
    for (const { fileName, word } of COMPANY_DOCUMENTS) {
      if (word === undefined) continue;
      const query = `search=${encodeURIComponent(word)}`;
      const { body } = await owner.get(`/organizations/${organizationId}/knowledge?${query}`);
      expect({
        word,
        found: body.data.items.map(({ metadata }: { metadata: { title: string } }) => metadata.title),
      }).toEqual({
        word,
        found: [fileName],
      });
    }

    const { status } = await owner.post(`/organizations/${organizationId}/tasks`, {
      title: 'Ask the bookkeeper',
      ownerAgentProfileKey: 'support',
      spec: { objective: 'Who approves refunds?' },
    });
    expect(status).toBe(201);
    const { executionToken } = await startClaimed(app, organizationId);
    const agent = app.client(executionToken);
    const { context } = (await agent.get(`/internal/agent/organizations/${organizationId}/execution`)).body.data;
    const [known] = context;
    expect(known).toMatchObject({ title: 'handbook.pdf', origin: 'material', freshness: 'current' });
    expect(known.text).toContain('is approved by the bookkeeper');
    const sourceId = String(known.key).slice('material-'.length);
    const content = await agent.get(`${sourcePath(organizationId, sourceId)}/content`);
    expect([content.status, content.text.slice(0, 5)]).toEqual([200, '%PDF-']);
  }, 60_000);
});
