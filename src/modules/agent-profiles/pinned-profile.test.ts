import { describe, expect, it } from '@jest/globals';
import { type Catalog, configFrom, instructionsUri } from './catalog.ts';
import type { PinnedProfileRow } from './pinned-profile.queries.ts';
import { toPinnedProfile } from './pinned-profile.ts';

const [OLD, NEW] = ['a'.repeat(64), 'b'.repeat(64)];

function catalogWith(model: string): Catalog {
  const config = { defaultRunMode: 'execute', toolPolicyKeys: [], runtime: { model, reasoningEffort: 'medium' } };
  const template = {
    key: 'growth',
    name: 'Growth',
    summary: 'Grows.',
    kind: 'department',
    department: 'growth',
  } as const;
  const profiles = [{ ...template, skillKeys: [], mcpServerKeys: [], config }];
  return { version: 1, commonSkillKeys: [], commonMcpServerKeys: [], profiles };
}
const configOf = (catalog: Catalog) => configFrom(catalog, catalog.profiles[0]);

/** A profile that followed the catalog to its new revision while the execution, pinned to the old one, was at work. */
const row: PinnedProfileRow = {
  id: 'profile',
  organizationId: 'organization',
  key: 'growth',
  name: 'Growth',
  kind: 'department',
  department: 'growth',
  status: 'enabled',
  rootUri: 'service://root',
  instructionsUri: instructionsUri(NEW, 'growth'),
  memoryRootUri: 'service://memory',
  config: configOf(catalogWith('new')),
  maxLiveRuns: 3,
  catalogTemplateKey: 'growth',
  catalogRevision: NEW,
  catalogUpdatePolicy: 'auto',
  createdAt: '',
  updatedAt: '',
  pinnedRevision: OLD,
  pinnedCatalog: catalogWith('old'),
  pinnedInstructions: 'Do as the old ones say.',
  catalog: catalogWith('new'),
};

describe('the profile of an execution', () => {
  it('keeps the revision of its start, whatever the profile followed since', () => {
    expect(toPinnedProfile(row)).toMatchObject({
      instructions: 'Do as the old ones say.',
      instructionsUri: instructionsUri(OLD, 'growth'),
      catalogRevision: OLD,
      config: { runtime: { model: 'old' }, memoryRootUri: 'service://memory', catalogSource: { revision: OLD } },
    });
  });

  it('has the configuration that somebody gave the profile', () => {
    const config = configOf(catalogWith('their own'));
    expect(toPinnedProfile({ ...row, config }).config.runtime.model).toBe('their own');
  });

  it('passes on the address of instructions that are not the catalog’s', () => {
    const address = 'https://acme.example/agents/growth.md';
    expect(toPinnedProfile({ ...row, instructionsUri: address })).toMatchObject({
      instructions: null,
      instructionsUri: address,
    });
  });
});
