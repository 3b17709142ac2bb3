import { isDeepStrictEqual } from 'node:util';
import { columns, type Sql, sql, type Statement } from '../../kernel/database/index.ts';
import { type AgentProfileDto, type AgentProfileRow, toAgentProfile } from './agent-profile.dto.ts';
import { PROFILE_COLUMNS } from './agent-profiles.queries.ts';
import { type Catalog, configFrom, instructionsUri } from './catalog.ts';

/** A profile together with the catalog that an execution was pinned to when it started. */
export interface PinnedProfileRow extends AgentProfileRow {
  pinnedRevision: string;
  pinnedCatalog: Catalog;
  /** The instructions of the profile's template there. */
  pinnedInstructions: string | null;
  /** The catalog that the profile is at now. */
  catalog: Catalog;
}

/** A profile as an execution sees it from its start to its end. */
export interface PinnedProfile extends Pick<AgentProfileDto, 'id' | 'key' | 'name' | 'kind' | 'department' | 'config'> {
  /** Null where they are not the catalog's: the runtime reads `instructionsUri` then. */
  readonly instructions: string | null;
  readonly instructionsUri: string;
  readonly catalogRevision: string;
}

const select = columns<PinnedProfileRow>({
  ...PROFILE_COLUMNS,
  pinnedRevision: 'pinned.revision',
  pinnedCatalog: 'pinned.catalog',
  pinnedInstructions: 'pinned.instructions->>p.catalog_template_key',
  catalog: 'own.catalog',
});

/** The profile of an execution, which is a select of `organization_id`, `agent_profile_id` and `catalog_revision`. */
export function pinnedProfile(execution: Sql): Statement<PinnedProfileRow> {
  return sql`
    select ${select} from (${execution}) execution
    join agent_profile p on p.organization_id = execution.organization_id and p.id = execution.agent_profile_id
    join catalog_revision pinned on pinned.revision = execution.catalog_revision
    join catalog_revision own on own.revision = p.catalog_revision`;
}

/** What is the catalog's is that of the pinned revision; what somebody changed is theirs. */
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
