import { columns, type Sql, sql, type Statement } from '../../kernel/database/index.ts';
import type { LearningInputDto, LessonDto, RevokedLessonDto } from './learning.dto.ts';
import type { MemoryOf } from './memory.queries.ts';

/** Whose learning is read: of all profiles of an organization, or of the one with a key. */
export interface LearningOf {
  readonly organizationId: string;
  /** Null for all. */
  readonly profileKey: string | null;
}

/** An enabled profile with what is kept of it. */
export interface LearningProfileRow {
  readonly agentProfileId: string;
  readonly profileKey: string;
  readonly profileName: string;
  readonly department: string | null;
  /** Null without memory. */
  readonly revision: number | null;
  readonly watermarkTaskId: string | null;
  readonly suggestions: readonly object[] | null;
  readonly lastLearnedAt: string | null;
  readonly cycleStartedAt: string | null;
  readonly sourceTaskId: string | null;
}

const PROFILE = columns<LearningProfileRow>({
  agentProfileId: 'p.id',
  profileKey: 'p.key',
  profileName: 'p.name',
  department: 'p.department',
  revision: 'm.revision',
  watermarkTaskId: 'm.watermark_task_id',
  suggestions: 'm.suggestions',
  lastLearnedAt: 'm.last_learned_at',
  cycleStartedAt: 'm.cycle_started_at',
  sourceTaskId: 'm.source_task_id',
});

/** Condition of the profiles `p` that are read: those that are enabled. */
function isRead({ organizationId, profileKey }: LearningOf): Sql {
  const key = sql.value(profileKey);
  return sql`p.organization_id = ${organizationId} and (${key}::text is null or p.key = ${key})
      and p.status = 'enabled' and p.deleted_at is null`;
}

export function learningProfiles(of: LearningOf): Statement<LearningProfileRow> {
  return sql`
    select ${PROFILE} from agent_profile p
    left join profile_memory m on m.organization_id = ${of.organizationId} and m.agent_profile_id = p.id
    where ${isRead(of)} order by p.id`;
}

export type LessonRow = Omit<LessonDto, 'origin'> & { readonly agentProfileId: string };

const LESSON = columns<LessonRow>({
  agentProfileId: 'l.agent_profile_id',
  key: 'l.key',
  lesson: 'l.lesson',
  sourceTaskIds: 'l.source_task_ids',
  evidence: 'l.evidence',
  humanInboxItemIds: 'l.human_inbox_item_ids',
  createdAt: 'l.created_at',
  supersedes: 'l.supersedes',
});

export function lessonsOf(of: LearningOf): Statement<LessonRow> {
  return sql`
    select ${LESSON} from agent_profile p
    join lesson l on l.organization_id = ${of.organizationId} and l.agent_profile_id = p.id
    where ${isRead(of)} order by l.created_at desc, l.key`;
}

export type LearningInputRow = LearningInputDto & { readonly agentProfileId: string };

const INPUT = columns<LearningInputRow>({
  agentProfileId: 'p.id',
  id: 'i.id',
  profileKey: 'p.key',
  sourceTaskId: 'i.task_id',
  status: 'i.status',
  question: 'i.body',
  presentation: `jsonb_build_object('title', i.title) || i.presentation`,
  response: `i.response ->> 'text'`,
  resolvedAt: `i.closure ->> 'at'`,
});
const ANSWERED = sql.raw('50');

/** What each profile asked to learn: the open questions, then those answered last. */
export function learningInputs(of: LearningOf): Statement<LearningInputRow> {
  const organization = sql.value(of.organizationId);
  const asked = (status: 'open' | 'answered') => sql`
      select i.* from inbox_item i
      join task t on t.organization_id = ${organization} and t.id = i.task_id
      where i.organization_id = ${organization} and i.purpose = 'learning_input'
        and i.opened_by_profile_key = p.key and i.status = ${sql.raw(`'${status}'`)}
        and t.owner_agent_profile_id = p.id
      order by i.updated_at desc, i.id desc limit ${ANSWERED}`;
  return sql`
    select ${INPUT} from agent_profile p
    cross join lateral (
      (${asked('open')}) union all (${asked('answered')})) i
    where ${isRead(of)} order by i.status desc, i.updated_at desc, i.id desc`;
}

/** A profile that is not deleted. */
export interface NamedProfile {
  readonly id: string;
  readonly name: string;
  readonly isEnabled: boolean;
}

/** The profile of a key, held as it is until the commit. */
export function holdProfile(organizationId: string, key: string): Statement<NamedProfile> {
  return sql`
    select p.id, p.name, p.status = 'enabled' as "isEnabled" from agent_profile p
    where p.organization_id = ${organizationId} and p.key = ${key} and p.deleted_at is null for share`;
}

export interface RevocationRow extends Pick<RevokedLessonDto, 'key' | 'lesson'> {
  readonly reason: string;
  readonly by: RevokedLessonDto['revocation']['by'];
  readonly at: string;
}

export function revocationOf({ organizationId, agentProfileId }: MemoryOf, key: string): Statement<RevocationRow> {
  return sql`
    select r.key, r.lesson, r.reason, r.revoked_by as by, r.revoked_at as at from revoked_lesson r
    where r.organization_id = ${organizationId} and r.agent_profile_id = ${agentProfileId} and r.key = ${key}`;
}
