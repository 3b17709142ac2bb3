import { columns, type Sql, sql, type Statement } from '../../kernel/database/index.ts';
import { Filters, KeysetList, opaqueCursor } from '../../kernel/pagination/index.ts';
import type { AgentProfileListQuery, AgentProfileRow } from './agent-profile.dto.ts';
import { PROFILE_LIVE_RUN_LIMIT } from './agent-profile.state.ts';

/** Columns of a profile aliased `p`. */
export const PROFILE_COLUMNS: { readonly [Property in keyof AgentProfileRow]: string } = {
  id: 'p.id',
  organizationId: 'p.organization_id',
  key: 'p.key',
  name: 'p.name',
  kind: 'p.kind',
  department: 'p.department',
  status: 'p.status',
  rootUri: 'p.root_uri',
  instructionsUri: 'p.instructions_uri',
  memoryRootUri: 'p.memory_root_uri',
  config: 'p.config',
  maxLiveRuns: `coalesce((select c.max_live_runs from profile_capacity c
    where c.organization_id = p.organization_id and c.agent_profile_id = p.id), ${PROFILE_LIVE_RUN_LIMIT.default})`,
  catalogTemplateKey: 'p.catalog_template_key',
  catalogRevision: 'p.catalog_revision',
  catalogUpdatePolicy: 'p.catalog_update_policy',
  createdAt: 'p.created_at',
  updatedAt: 'p.updated_at',
};

const select = columns<AgentProfileRow>(PROFILE_COLUMNS);

/** Profiles by id, deleted ones too: the caller decides. */
export function profilesById(organizationId: string, ids: readonly string[]): Statement<AgentProfileRow> {
  const asked = sql.value(ids);
  return sql`
    select ${select} from agent_profile p
    where p.organization_id = ${organizationId} and p.id = any(${asked}::uuid[])
    order by array_position(${asked}::uuid[], p.id)`;
}

export function liveProfile(organizationId: string, id: string): Statement<AgentProfileRow> {
  return sql`
    select ${select} from agent_profile p
    where p.organization_id = ${organizationId} and p.id = ${id} and p.deleted_at is null`;
}

export function profilesOf(organizationId: string, query: AgentProfileListQuery): KeysetList<AgentProfileRow> {
  const { limit: _limit, cursor: _cursor, ...bound } = query;
  const filters = new Filters()
    .equals('p.organization_id', organizationId)
    .oneOf('p.status', query.status)
    .oneOf('p.kind', query.kind)
    .oneOf('p.department', query.department)
    .window('p', query);
  return new KeysetList<AgentProfileRow>(
    {
      select,
      from: 'agent_profile p',
      where: [...filters.where, 'p.deleted_at is null'],
      wide: ['p.config'],
      // Ids grow with time and lead the primary key behind the organization.
      sortBy: [{ sql: 'p.id', type: 'uuid', of: ({ id }) => id }],
      cursor: opaqueCursor('agent-profiles', [organizationId, bound]),
    },
    query,
  );
}

/**
 * Locks the rows of profiles' capacity, behind those of the profiles: disabling or deleting one must not meet a start of
 * a run half way. All of the departments' when no id is given.
 */
export function lockProfileCapacities(
  organizationId: string,
  { ids = null, departments = null }: { ids?: readonly string[] | null; departments?: readonly string[] | null },
): Statement {
  const organization = sql.value(organizationId);
  return sql`
    select from profile_capacity c where c.organization_id = ${organization} and c.agent_profile_id in (
      select p.id from agent_profile p
      where p.organization_id = ${organization}
        and ${isAmong(sql`p.id`, 'uuid[]', ids)} and ${isAmong(sql`p.department`, 'text[]', departments)})
    order by c.agent_profile_id for no key update`;
}

/** How many runs of a profile may be live; no row where an older release made the profile without. */
export function profileCapacity(organizationId: string, id: string): Statement<{ maxLiveRuns: number }> {
  return sql`
    select max_live_runs as "maxLiveRuns" from profile_capacity
    where organization_id = ${organizationId} and agent_profile_id = ${id}`;
}

export function setProfileCapacity(organizationId: string, id: string, maxLiveRuns: number): Statement {
  return sql`
    insert into profile_capacity (organization_id, agent_profile_id, max_live_runs)
    values (${organizationId}, ${id}, ${maxLiveRuns})
    on conflict (organization_id, agent_profile_id) do update set max_live_runs = excluded.max_live_runs`;
}

/** Locks profiles that are not deleted, in the order of their ids; all of them when none is named. */
export function lockLiveProfiles(organizationId: string, ids?: readonly string[]): Statement {
  return sql`
    select from agent_profile
    where organization_id = ${organizationId} and ${isAmong(sql`id`, 'uuid[]', ids ?? null)} and deleted_at is null
    order by id for no key update`;
}

/** Whether a column is one of some values; any is, where none are named. */
function isAmong(column: Sql, type: 'uuid[]' | 'text[]', values: readonly string[] | null): Sql {
  const [asked, list] = [sql.value(values), sql.raw(type)];
  return sql`(${asked}::${list} is null or ${column} = any(${asked}::${list}))`;
}
