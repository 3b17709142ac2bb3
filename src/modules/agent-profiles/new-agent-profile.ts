import type { EntityTx } from '../../kernel/database/index.ts';
import { newId } from '../../kernel/ids/index.ts';
import { type Department, Organization } from '../organizations/index.ts';
import { AgentProfile } from './agent-profile.entity.ts';
import { ProfileCapacity } from './profile-capacity.entity.ts';
import {
  memoryRoot,
  type ProfileKind,
  profileRoot,
  type ProfileStatus,
  type UpdatePolicy,
} from './agent-profile.state.ts';
import {
  configFrom,
  instructionsUri,
  type ProfileTemplate,
  type PublishedCatalog,
  type TemplateConfig,
} from './catalog.ts';

interface Identity {
  readonly key: string;
  readonly name: string;
  readonly kind: ProfileKind;
  readonly department: Department | null;
}

interface Choices {
  readonly status?: ProfileStatus | undefined;
  readonly rootUri?: string | undefined;
  readonly instructionsUri?: string | undefined;
  readonly memoryRootUri?: string | undefined;
  readonly config?: TemplateConfig | undefined;
  readonly maxLiveRuns?: number | undefined;
  readonly updatePolicy: UpdatePolicy;
}

/** Makes a profile from a template of a published catalog, and leaves the flush to the caller. What is not chosen is the catalog's. */
export function newAgentProfile(
  tx: EntityTx,
  { key, name, kind, department }: Identity,
  template: ProfileTemplate | undefined,
  { catalog, revision }: PublishedCatalog,
  choices: Choices,
): AgentProfile {
  const { organizationId } = tx;
  const templateKey = template?.key ?? department ?? key;
  const profile = tx.em.create(AgentProfile, {
    organization: tx.em.getReference(Organization, organizationId),
    id: newId(),
    key,
    name,
    kind,
    department,
    status: choices.status ?? 'enabled',
    rootUri: choices.rootUri ?? profileRoot(organizationId, key),
    instructionsUri: choices.instructionsUri ?? instructionsUri(revision, templateKey),
    memoryRootUri: choices.memoryRootUri ?? memoryRoot(organizationId, key),
    config: choices.config ?? configFrom(catalog, template),
    catalogTemplateKey: templateKey,
    catalogRevision: revision,
    catalogUpdatePolicy: choices.updatePolicy,
  });
  const { maxLiveRuns } = choices;
  tx.em.create(ProfileCapacity, { profile, ...(maxLiveRuns === undefined ? {} : { maxLiveRuns }) });
  return profile;
}
