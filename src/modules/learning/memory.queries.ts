import { columns, sql, type Statement } from '../../kernel/database/index.ts';
import type { LessonEvidenceDto } from '../runs/index.ts';
import { isEndedTask } from '../tasks/index.ts';

/** A lesson as an outcome names it. */
export interface NewLesson {
  readonly key: string;
  readonly lesson: string;
  readonly sourceTaskIds: readonly string[];
  readonly evidence: readonly LessonEvidenceDto[];
  readonly humanInboxItemIds: readonly string[];
  readonly supersedes: string | null;
}
export type StoredLesson = NewLesson;

/** Whose memory it is. */
export interface MemoryOf {
  readonly organizationId: string;
  readonly agentProfileId: string;
}

export interface MemoryFacts {
  readonly revision: number;
  readonly learnedRevision: number;
  readonly watermarkTaskId: string | null;
  readonly suggestions: readonly object[];
  readonly now: string;
}

const FACTS = columns<MemoryFacts>({
  revision: 'm.revision',
  learnedRevision: 'm.learned_revision',
  watermarkTaskId: 'm.watermark_task_id',
  suggestions: 'm.suggestions',
  now: 'clock_timestamp()',
});

export function memoryFacts({ organizationId, agentProfileId }: MemoryOf): Statement<MemoryFacts> {
  return sql`
    select ${FACTS} from profile_memory m
    where m.organization_id = ${organizationId} and m.agent_profile_id = ${agentProfileId}`;
}

/** Makes the memory of a profile that has none yet; revision 0 is none. */
export function beginMemory({ organizationId, agentProfileId }: MemoryOf): Statement {
  return sql`
    insert into profile_memory (organization_id, agent_profile_id, revision, learned_revision, suggestions)
    values (${organizationId}, ${agentProfileId}, 0, 0, '[]') on conflict do nothing`;
}

/** Locks the memory, the last of all locks. */
export function lockMemory({ organizationId, agentProfileId }: MemoryOf): Statement {
  return sql`
    select from profile_memory m
    where m.organization_id = ${organizationId} and m.agent_profile_id = ${agentProfileId} for no key update`;
}

export function storedLessons({ organizationId, agentProfileId }: MemoryOf): Statement<StoredLesson> {
  return sql`
    select l.key, l.lesson, l.source_task_ids as "sourceTaskIds", l.evidence,
      l.human_inbox_item_ids as "humanInboxItemIds", l.supersedes
    from lesson l where l.organization_id = ${organizationId} and l.agent_profile_id = ${agentProfileId}`;
}

/** A task of the profile that has ended, and whether it lies behind the last one that was looked at. */
export interface EndedTaskOf {
  readonly id: string;
  readonly completedAt: string;
  readonly isBehind: boolean;
}

const HAS_ENDED = sql.raw(isEndedTask('t.status'));

export function endedTasks(
  { organizationId, agentProfileId }: MemoryOf,
  ids: readonly string[],
): Statement<EndedTaskOf> {
  const organization = sql.value(organizationId);
  const profile = sql.value(agentProfileId);
  return sql`
    select t.id, t.completed_at as "completedAt",
      coalesce((t.completed_at, t.id) > (m.watermark_at, m.watermark_task_id), true) as "isBehind"
    from task t
    left join profile_memory m on m.organization_id = ${organization} and m.agent_profile_id = ${profile}
    where t.organization_id = ${organization} and t.id = any(${ids}::uuid[]) and t.kind <> 'learning'
      and t.owner_agent_profile_id = ${profile} and ${HAS_ENDED} and t.completed_at is not null`;
}

/** Those of some learning inputs of a profile that people answered. */
export function answeredAmong(
  { organizationId, agentProfileId }: MemoryOf,
  ids: readonly string[],
): Statement<{ id: string }> {
  const organization = sql.value(organizationId);
  return sql`
    select i.id from inbox_item i
    join task t on t.organization_id = ${organization} and t.id = i.task_id
    where i.organization_id = ${organization} and i.id = any(${ids}::uuid[]) and i.purpose = 'learning_input'
      and i.status = 'answered' and t.owner_agent_profile_id = ${agentProfileId}`;
}

/** What owners revoked of lessons, by key or by text. */
export function revokedAmong(
  { organizationId, agentProfileId }: MemoryOf,
  keys: readonly string[],
  digests: readonly string[],
): Statement<{ key: string; digest: string }> {
  return sql`
    select r.key, r.digest from revoked_lesson r
    where r.organization_id = ${organizationId} and r.agent_profile_id = ${agentProfileId}
      and (r.key = any(${keys}::text[]) or r.digest = any(${digests}::text[]))`;
}

/** When the first run of a task began. */
export function cycleBegin(organizationId: string, taskId: string): Statement<{ at: string | null }> {
  return sql`
    select min(r.started_at) as at from run r where r.organization_id = ${organizationId} and r.task_id = ${taskId}`;
}

/** Removes the lessons that no longer stand. */
export function forgetLessons({ organizationId, agentProfileId }: MemoryOf, keys: readonly string[]): Statement {
  return sql`
    delete from lesson l
    where l.organization_id = ${organizationId} and l.agent_profile_id = ${agentProfileId}
      and l.key <> all(${keys}::text[])`;
}

/** Writes a lesson that is new or changed. */
export function writeLesson({ organizationId, agentProfileId }: MemoryOf, lesson: NewLesson, at: string): Statement {
  return sql`
    insert into lesson (organization_id, agent_profile_id, key, lesson, source_task_ids, evidence, human_inbox_item_ids,
      supersedes, created_at)
    values (${organizationId}, ${agentProfileId}, ${lesson.key}, ${lesson.lesson},
      ${JSON.stringify(lesson.sourceTaskIds)}::jsonb, ${JSON.stringify(lesson.evidence)}::jsonb,
      ${JSON.stringify(lesson.humanInboxItemIds)}::jsonb, ${lesson.supersedes}, ${at})
    on conflict (organization_id, agent_profile_id, key) do update set lesson = excluded.lesson,
      source_task_ids = excluded.source_task_ids, evidence = excluded.evidence,
      human_inbox_item_ids = excluded.human_inbox_item_ids, supersedes = excluded.supersedes,
      created_at = excluded.created_at`;
}

export interface CycleEnd {
  readonly revision: number;
  readonly watermark: { readonly taskId: string; readonly at: string } | null;
  readonly suggestions: readonly object[];
  readonly learnedAt: string;
  readonly cycleStartedAt: string | null;
  readonly sourceTaskId: string;
}

/** Moves a memory on by one cycle; without a watermark it keeps the one that it has. */
export function endCycle({ organizationId, agentProfileId }: MemoryOf, end: CycleEnd): Statement {
  const revision = sql.value(end.revision);
  return sql`
    update profile_memory set revision = ${revision}, learned_revision = ${revision},
      watermark_task_id = coalesce(${end.watermark?.taskId ?? null}::uuid, watermark_task_id),
      watermark_at = coalesce(${end.watermark?.at ?? null}::timestamptz, watermark_at),
      suggestions = ${JSON.stringify(end.suggestions)}::jsonb, last_learned_at = ${end.learnedAt}::timestamptz,
      cycle_started_at = ${end.cycleStartedAt}::timestamptz, source_task_id = ${end.sourceTaskId}::uuid,
      updated_at = ${end.learnedAt}::timestamptz
    where organization_id = ${organizationId} and agent_profile_id = ${agentProfileId}`;
}

/** Removes a lesson; answers its text. */
export function removeLesson({ organizationId, agentProfileId }: MemoryOf, key: string): Statement<{ lesson: string }> {
  return sql`
    delete from lesson l
    where l.organization_id = ${organizationId} and l.agent_profile_id = ${agentProfileId} and l.key = ${key}
    returning l.lesson`;
}

export interface Revocation {
  readonly key: string;
  readonly lesson: string;
  readonly digest: string;
  readonly reason: string;
  readonly by: { readonly kind: string; readonly id: string | null; readonly name: string };
  readonly at: string;
}

export function recordRevocation({ organizationId, agentProfileId }: MemoryOf, revocation: Revocation): Statement {
  const { key, lesson, digest, reason, by, at } = revocation;
  return sql`
    insert into revoked_lesson (organization_id, agent_profile_id, key, lesson, digest, reason, revoked_by, revoked_at)
    values (${organizationId}, ${agentProfileId}, ${key}, ${lesson}, ${digest}, ${reason}, ${JSON.stringify(by)}::jsonb,
      ${at})`;
}

/** Counts a revocation; cycles need not have seen it. */
export function countRevocation({ organizationId, agentProfileId }: MemoryOf, at: string): Statement {
  return sql`
    update profile_memory set revision = revision + 1, updated_at = ${at}::timestamptz
    where organization_id = ${organizationId} and agent_profile_id = ${agentProfileId}`;
}
