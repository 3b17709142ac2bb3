import { columns, type Sql, sql, type Statement } from '../../kernel/database/index.ts';
import type { AgentProfileRow } from './agent-profile.dto.ts';
import { PROFILE_COLUMNS } from './agent-profiles.queries.ts';
import type { Catalog } from './catalog.ts';

/** A profile together with the catalog that an execution was pinned to when it started. */
export interface PinnedProfileRow extends AgentProfileRow {
  pinnedRevision: string;
  pinnedCatalog: Catalog;
  /** The instructions of the profile's template there. */
  pinnedInstructions: string | null;
  /** The catalog that the profile is at now. */
  catalog: Catalog;
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
