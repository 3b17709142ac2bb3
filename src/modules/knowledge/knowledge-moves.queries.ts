import type { ExecutionPrincipal } from '../../kernel/auth/index.ts';
import { sql, type Statement } from '../../kernel/database/index.ts';
import type { Department } from '../organizations/index.ts';
import { type Audience, mayRead } from './audience.queries.ts';
import type { KeptEvidence, Origin, Revoker, SourceVersion, Visibility } from './knowledge.state.ts';

/** Puts what one run or turn publishes in one order, so that it can be counted. Taken before the key's lock. */
export function lockPublisher(executionId: string): Statement {
  return sql`select pg_advisory_xact_lock(hashtextextended('knowledge of ' || ${executionId}, 0))`;
}

/** Puts what happens to one key in one order. */
export function lockKey(organizationId: string, key: string): Statement {
  return sql`select pg_advisory_xact_lock(hashtextextended('knowledge ' || ${organizationId} || ' ' || ${key}, 0))`;
}

/** The task that a run works on, and the root of its tree, which never change. */
export function placeOfTask(organizationId: string, taskId: string): Statement<{ rootTaskId: string }> {
  return sql`select t.root_task_id as "rootTaskId" from task t where t.organization_id = ${organizationId} and t.id = ${taskId}`;
}

/** The time, by the database's clock. */
export function presentTime(): Statement<{ now: string }> {
  return sql`select clock_timestamp() as now`;
}

/** Whether an instant has passed, by the database's clock. */
export function whetherPast(instant: string): Statement<{ isPast: boolean }> {
  return sql`select ${instant}::timestamptz <= clock_timestamp() as "isPast"`;
}

/** The record that holds under a key. */
export interface Head {
  readonly id: string;
  readonly origin: Origin;
  readonly mayRead: boolean;
  readonly visibility: Visibility;
  readonly department: Department | null;
  readonly requiredConnectorKeys: string[];
  readonly contentDigest: string;
}

/** Read behind the key's lock. */
export function headOf(organizationId: string, audience: Audience, key: string): Statement<Head> {
  return sql`
    select k.id, k.origin, ${mayRead(audience, 'k')} as "mayRead", k.visibility, k.department,
      k.required_connector_keys as "requiredConnectorKeys", k.content_digest as "contentDigest"
    from knowledge k
    where k.organization_id = ${organizationId} and k.key = ${key} and k.superseded_by is null and k.revoked_at is null`;
}

/** A record of a key with this content that the same execution published. */
export function publishedBefore(
  { organizationId, executionId }: ExecutionPrincipal,
  key: string,
  contentDigest: string,
): Statement<{ id: string }> {
  return sql`
    select k.id from knowledge k
    where k.organization_id = ${organizationId} and k.execution_id = ${executionId} and k.key = ${key}
      and k.content_digest = ${contentDigest}
    order by k.id desc limit 1`;
}

export function publishedCount({ organizationId, executionId }: ExecutionPrincipal): Statement<{ count: number }> {
  return sql`
    select count(*)::int as count from knowledge k
    where k.organization_id = ${organizationId} and k.execution_id = ${executionId}`;
}

/** A revoked record with the same finding, and the owner's reason where the author could have read the record. */
export function revokedFinding(
  organizationId: string,
  audience: Audience,
  findingDigest: string,
): Statement<{ reason: string | null }> {
  const wasReadable = sql.shared(mayRead(audience, 'r'));
  return sql`
    select case when ${wasReadable} then k.revocation_reason end as reason
    from knowledge k
    cross join lateral (select k.visibility, k.department, k.required_connector_keys, null::timestamptz as revoked_at) r
    where k.organization_id = ${organizationId} and k.finding_digest = ${findingDigest} and k.revoked_at is not null
    order by not ${wasReadable}, k.id desc limit 1`;
}

export interface NewKnowledge {
  readonly id: string;
  readonly key: string;
  readonly title: string;
  readonly titleWords: string;
  readonly finding: string;
  readonly applicability: string;
  readonly procedure: readonly string[];
  readonly visibility: Visibility;
  readonly department: Department | null;
  readonly requiredConnectorKeys: readonly string[];
  readonly sourceVersions: readonly SourceVersion[];
  readonly stamps: Readonly<Record<string, string | null>>;
  readonly evidence: readonly KeptEvidence[];
  readonly validUntil: string | null;
  readonly origin: Origin;
  readonly authorProfileKey: string | null;
  readonly executionId: string | null;
  readonly sourceRunId: string | null;
  readonly sourceTaskId: string | null;
  readonly sourceRootTaskId: string | null;
  readonly contentDigest: string;
  readonly findingDigest: string;
  readonly supersedes: string | null;
  readonly retainedAt: string;
}

export function insertKnowledge(organizationId: string, record: NewKnowledge): Statement {
  const r = record;
  return sql`
    insert into knowledge (organization_id, id, key, title, title_words, finding, applicability, procedure, visibility,
      department, required_connector_keys, source_versions, stamps, evidence, valid_until, origin, author_profile_key,
      execution_id, source_run_id, source_task_id, source_root_task_id, content_digest, finding_digest, supersedes,
      retained_at)
    values (${organizationId}, ${r.id}, ${r.key}, ${r.title}, ${r.titleWords}, ${r.finding}, ${r.applicability},
      ${r.procedure}, ${r.visibility}, ${r.department}, ${r.requiredConnectorKeys}, ${JSON.stringify(r.sourceVersions)},
      ${JSON.stringify(r.stamps)}, ${JSON.stringify(r.evidence)}, ${r.validUntil}, ${r.origin}, ${r.authorProfileKey},
      ${r.executionId}, ${r.sourceRunId}, ${r.sourceTaskId}, ${r.sourceRootTaskId}, ${r.contentDigest},
      ${r.findingDigest}, ${r.supersedes}, ${r.retainedAt})
    returning id`;
}

/** Takes a record's place; the partial unique index lets no other have taken it. */
export function supersede(organizationId: string, id: string, by: string): Statement {
  const record = sql.shared(sql`k.organization_id = ${organizationId} and k.id = ${id}`);
  return sql`
    with superseded as materialized (
      select clock_timestamp() as at from knowledge k where ${record} for no key update),
    moved as (
      update knowledge k set superseded_by = ${by}, superseded_at = superseded.at from superseded
      where ${record} and k.superseded_by is null
      returning k.id)
    select id from moved`;
}

export function hidePassages(organizationId: string, knowledgeId: string): Statement {
  return sql`
    update knowledge_passage p set live = false
    where p.organization_id = ${organizationId} and p.knowledge_id = ${knowledgeId} and p.live`;
}

export interface NewPassage {
  readonly ordinal: number;
  /** Null for the record's finding. */
  readonly text: string | null;
  /** A literal of the type `tsvector`. */
  readonly terms: string;
}

/** The copies that passages have of their record. */
export interface PassageCopies {
  readonly origin: Origin;
  readonly visibility: Visibility;
  readonly department: Department | null;
  readonly requiredConnectorKeys: readonly string[];
  readonly stamps: Readonly<Record<string, string | null>>;
  readonly validUntil: string | null;
}

const PASSAGE_COLUMNS = sql`organization_id, knowledge_id, ordinal, text, terms, live, origin, visibility, department,
  required_connector_keys, stamps, valid_until`;

/** The one passage of what an execution found. */
export function insertPassage(
  organizationId: string,
  knowledgeId: string,
  copies: PassageCopies,
  { ordinal, text, terms }: NewPassage,
): Statement {
  const c = copies;
  return sql`
    insert into knowledge_passage (${PASSAGE_COLUMNS})
    values (${organizationId}, ${knowledgeId}, ${ordinal}, ${text}, ${terms}, true, ${c.origin}, ${c.visibility},
      ${c.department}, ${c.requiredConnectorKeys}, ${JSON.stringify(c.stamps)}, ${c.validUntil})`;
}

/** Passages of material. */
export function insertPassages(
  organizationId: string,
  knowledgeId: string,
  copies: PassageCopies,
  passages: readonly NewPassage[],
): Statement {
  const c = copies;
  return sql`
    insert into knowledge_passage (${PASSAGE_COLUMNS})
    select ${organizationId}::uuid, ${knowledgeId}::uuid, given.ordinal, given.text, given.terms::tsvector, true,
      ${c.origin}, ${c.visibility}, ${c.department}, ${c.requiredConnectorKeys}::text[],
      ${JSON.stringify(c.stamps)}::jsonb, ${c.validUntil}::timestamptz
    from unnest(${passages.map(({ ordinal }) => ordinal)}::int[], ${passages.map(({ text }) => text)}::text[],
      ${passages.map(({ terms }) => terms)}::text[]) given(ordinal, text, terms)`;
}

export function deletePassages(organizationId: string, knowledgeId: string): Statement {
  return sql`
    delete from knowledge_passage p where p.organization_id = ${organizationId} and p.knowledge_id = ${knowledgeId}`;
}

/** Which key a record has, which never changes. */
export function keyOf(organizationId: string, id: string): Statement<{ key: string }> {
  return sql`select k.key from knowledge k where k.organization_id = ${organizationId} and k.id = ${id}`;
}

/** Revokes a record that nobody has revoked; answers a row where it did. */
export function revoke(
  organizationId: string,
  id: string,
  { reason, by }: { readonly reason: string; readonly by: Revoker },
): Statement<{ key: string; title: string }> {
  const record = sql.shared(sql`k.organization_id = ${organizationId} and k.id = ${id}`);
  return sql`
    with standing as materialized (
      select clock_timestamp() as at, ${JSON.stringify(by)}::jsonb as by from knowledge k
      where ${record} and k.revoked_at is null for no key update),
    revoked as (
      update knowledge k set revoked_at = standing.at, revoked_by = standing.by, revocation_reason = ${reason} from standing
      where ${record} and k.revoked_at is null
      returning k.key, k.title)
    select key, title from revoked`;
}
