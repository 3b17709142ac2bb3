import { isDeepStrictEqual } from 'node:util';
import { type AgentProfileDto, toAgentProfile } from './agent-profile.dto.ts';
import { type Catalog, configFrom, instructionsUri } from './catalog.ts';
import type { PinnedProfileRow } from './pinned-profile.queries.ts';

/** A profile as an execution sees it from its start to its end. */
export interface PinnedProfile extends Pick<AgentProfileDto, 'id' | 'key' | 'name' | 'kind' | 'department' | 'config'> {
  /** Null where they are not the catalog's: the runtime reads `instructionsUri` then. */
  readonly instructions: string | null;
  readonly instructionsUri: string;
  readonly catalogRevision: string;
}

/** Takes the catalog's parts from the pinned revision; what an owner changed stays as the owner made it. */
export function toPinnedProfile(row: PinnedProfileRow): PinnedProfile {
  const { pinnedRevision, pinnedCatalog, pinnedInstructions, catalog, ...profile } = row;
  const { catalogTemplateKey: templateKey, catalogRevision } = profile;
  const templateOf = ({ profiles }: Catalog) => profiles.find(({ key }) => key === templateKey);
  const isCatalogs = profile.instructionsUri === instructionsUri(catalogRevision, templateKey);
  const isDefault = isDeepStrictEqual(profile.config, configFrom(catalog, templateOf(catalog)));
  const config = isDefault ? configFrom(pinnedCatalog, templateOf(pinnedCatalog)) : profile.config;
  const shown = toAgentProfile({ ...profile, config, catalogRevision: pinnedRevision });
  return {
    id: shown.id,
    key: shown.key,
    name: shown.name,
    kind: shown.kind,
    department: shown.department,
    instructions: isCatalogs ? pinnedInstructions : null,
    instructionsUri: isCatalogs ? instructionsUri(pinnedRevision, templateKey) : profile.instructionsUri,
    catalogRevision: pinnedRevision,
    config: shown.config,
  };
}
