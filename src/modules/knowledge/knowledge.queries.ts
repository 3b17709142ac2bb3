import { columns, type Sql, sql, type Statement } from '../../kernel/database/index.ts';
import { Filters, KeysetList, uuidCursor } from '../../kernel/pagination/index.ts';
import type { Department } from '../organizations/index.ts';
import { type Audience, freshnessOf, mayRead } from './audience.queries.ts';
import type { KnowledgeListQuery } from './knowledge.dto.ts';
import {
  FRESHNESS,
  type Freshness,
  type KeptEvidence,
  type Origin,
  type Revoker,
  type SourceVersion,
  type Visibility,
} from './knowledge.state.ts';

/** A record as a list reads it. */
export interface KnowledgeRow {
  readonly id: string;
  readonly key: string;
  readonly title: string;
  readonly finding: string;
  readonly applicability: string;
  readonly visibility: Visibility;
  readonly requiredConnectorKeys: string[];
  readonly sourceVersions: SourceVersion[];
  readonly evidence: KeptEvidence[];
  readonly validUntil: string | null;
  readonly sourceTaskId: string | null;
  readonly sourceRunId: string | null;
  readonly authorProfileKey: string | null;
  readonly department: Department | null;
  readonly retainedAt: string;
  readonly origin: Origin;
  readonly freshness: Freshness;
  readonly supersededBy: string | null;
}

export interface KnowledgeDetailRow extends KnowledgeRow {
  readonly procedure: string[];
  readonly supersedes: string | null;
  readonly revocationReason: string | null;
  readonly revokedBy: Revoker | null;
  readonly revokedAt: string | null;
}

/** The id of another record where the caller may read that one too. */
function shownId(organizationId: string, audience: Audience, column: 'superseded_by' | 'supersedes'): Sql {
  const id = sql.raw(`k.${column}`);
  if (audience.readsAll) return id;
  return sql`(select o.id from knowledge o
    where o.organization_id = ${organizationId} and o.id = ${id} and ${mayRead(audience, 'o')})`;
}

/** Select list of a record aliased `k`. */
export function knowledgeColumns(organizationId: string, audience: Audience): Sql {
  return columns<KnowledgeRow>({
    id: 'k.id',
    key: 'k.key',
    title: 'k.title',
    finding: 'k.finding',
    applicability: 'k.applicability',
    visibility: 'k.visibility',
    requiredConnectorKeys: 'k.required_connector_keys',
    sourceVersions: 'k.source_versions',
    evidence: 'k.evidence',
    validUntil: 'k.valid_until',
    sourceTaskId: 'k.source_task_id',
    sourceRunId: 'k.source_run_id',
    authorProfileKey: 'k.author_profile_key',
    department: 'k.department',
    retainedAt: 'k.retained_at',
    origin: 'k.origin',
    freshness: freshnessOf(audience, 'k'),
    supersededBy: shownId(organizationId, audience, 'superseded_by'),
  });
}

/** What a list shows unless it is asked for something else. */
export function shownFreshness({ readsAll }: Audience, asked: readonly Freshness[] | undefined): readonly Freshness[] {
  return asked ?? (readsAll ? FRESHNESS.filter((each) => each !== 'superseded') : ['current']);
}

/** Records by time, the newest first. Any UUID is a position: none is looked up. */
export function knowledgeOf(
  organizationId: string,
  audience: Audience,
  query: KnowledgeListQuery,
): KeysetList<KnowledgeRow> {
  const shown = shownFreshness(audience, query.freshness);
  const filters = new Filters()
    .equals('k.organization_id', organizationId)
    .equals('k.department', query.department)
    .equals('k.origin', query.origin);
  const stands = shown.every((each) => each !== 'superseded' && each !== 'revoked')
    ? [sql`k.superseded_by is null and k.revoked_at is null`]
    : [];
  return new KeysetList<KnowledgeRow>(
    {
      select: knowledgeColumns(organizationId, audience),
      from: 'knowledge k',
      where: [
        ...filters.where,
        ...stands,
        taken(sql`${mayRead(audience, 'k')} and ${freshnessOf(audience, 'k')} = any(${[...shown]}::text[])`),
      ],
      sortBy: [{ sql: 'k.id', type: 'uuid', of: ({ id }) => id }],
      wide: ['k.finding', 'k.evidence', 'k.source_versions'],
      cursor: uuidCursor,
    },
    { cursor: query.cursor, limit: query.limit, order: 'desc' },
  );
}

/** A condition of which the planner expects that half of the rows meet it: for others it would read all of them and sort. */
function taken(condition: Sql): Sql {
  return sql`case when ${condition} then true else false end`;
}

/** A row where an organization has a record that holds. */
export function anyStanding(organizationId: string): Statement {
  return sql`
    select from knowledge k
    where k.organization_id = ${organizationId} and k.superseded_by is null and k.revoked_at is null limit 1`;
}

/** A record that the caller may read. */
export function knowledgeById(organizationId: string, audience: Audience, id: string): Statement<KnowledgeDetailRow> {
  return sql`select ${detail(organizationId, audience)} from knowledge k
    where k.organization_id = ${organizationId} and k.id = ${id} and ${mayRead(audience, 'k')}`;
}

/** A record of the execution that asks, which may read what it published. */
export function ownKnowledge(organizationId: string, audience: Audience, id: string): Statement<KnowledgeDetailRow> {
  return sql`select ${detail(organizationId, audience)} from knowledge k
    where k.organization_id = ${organizationId} and k.id = ${id}`;
}

function detail(organizationId: string, audience: Audience): Sql {
  const more = columns<Omit<KnowledgeDetailRow, keyof KnowledgeRow>>({
    procedure: 'k.procedure',
    supersedes: shownId(organizationId, audience, 'supersedes'),
    revocationReason: 'k.revocation_reason',
    revokedBy: 'k.revoked_by',
    revokedAt: 'k.revoked_at',
  });
  return sql`${knowledgeColumns(organizationId, audience)}, ${more}`;
}

/** Whether a record that nobody revoked stems from the tree of a task. */
export function recordOfTree(organizationId: string, rootTaskId: string | Sql): Sql {
  return sql`exists (select from knowledge k
    where k.organization_id = ${organizationId} and k.source_root_task_id = ${rootTaskId} and k.revoked_at is null)`;
}

/** How long the evidence of a record is kept after the record was superseded or revoked, in months. */
const EVIDENCE_MONTHS = sql`13`;

/** Whether a record names bytes of a run that are still kept for it. */
export function namesRun(organizationId: Sql, runId: Sql): Sql {
  return sql`exists (select from knowledge k
    where k.organization_id = ${organizationId}
      and k.evidence @> jsonb_build_array(jsonb_build_object('runId', ${runId}))
      and (k.superseded_by is null and k.revoked_at is null
        or greatest(k.superseded_at, k.revoked_at) > clock_timestamp() - make_interval(months => ${EVIDENCE_MONTHS})))`;
}
