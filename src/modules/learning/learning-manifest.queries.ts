import type { ExecutionPrincipal } from '../../kernel/auth/index.ts';
import { sql, type Statement } from '../../kernel/database/index.ts';
import { isEndedTask } from '../tasks/index.ts';

/** What a manifest has of learning; one row at most. */
export interface ManifestLearning {
  readonly memory: {
    readonly revision: number;
    readonly lessons: readonly { readonly key: string; readonly lesson: string }[];
    readonly truncated: boolean;
  } | null;
  /** Of runs of learning tasks. */
  readonly learning: {
    readonly cycleStartedAt: string;
    readonly sinceTaskId: string | null;
    readonly tasks: readonly {
      readonly taskId: string;
      readonly identifier: string;
      readonly title: string;
      readonly status: string;
      readonly completedAt: string;
    }[];
    readonly more: boolean;
    readonly answers: readonly { readonly inboxItemId: string; readonly question: string; readonly response: string }[];
    readonly revoked: readonly { readonly key: string; readonly lesson: string; readonly reason: string }[];
  } | null;
}

/** Bytes of JSON that lessons take, and what owners revoked, and the answers of people. */
const LESSON_BYTES = sql.raw(String(32 * 1024));
const REVOKED_BYTES = sql.raw(String(64 * 1024));
const ANSWER_BYTES = sql.raw(String(192 * 1024));
const [TASKS, ANSWERS, REVOKED] = [sql.raw('200'), sql.raw('50'), sql.raw('100')];

const HAS_ENDED = sql.raw(isEndedTask('t.status'));

function iso(column: string) {
  return sql.raw(`to_char(${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`);
}

/**
 * The lessons of an execution's profile, newest first, as far as they have room; for runs of learning tasks also what there
 * is to learn from: behind the last task that was looked at, oldest first.
 */
export function manifestLearning(execution: ExecutionPrincipal): Statement<ManifestLearning> {
  const organization = sql.value(execution.organizationId);
  const profile = sql.value(execution.agentProfileId);
  const run = execution.execution === 'task_run' ? execution.executionId : null;
  return sql`
    with own as materialized (
      select (select jsonb_build_object('id', t.id, 'startedAt', (
            select ${iso('min(r.started_at)')} from run r where r.organization_id = ${organization} and r.task_id = t.id))
          from run join task t on t.organization_id = ${organization} and t.id = run.task_id
          where run.organization_id = ${organization} and run.id = ${run}::uuid and t.kind = 'learning') as cycle,
        m.revision, m.watermark_task_id, m.watermark_at, m.cycle_started_at
      from (select) one
      left join profile_memory m on m.organization_id = ${organization} and m.agent_profile_id = ${profile})
    select
      -- the lessons
      case when own.revision is not null then (
        select jsonb_build_object('revision', own.revision,
          'lessons', coalesce(jsonb_agg(l.shown order by l.nth) filter (where l.bytes <= ${LESSON_BYTES}), '[]'),
          'truncated', coalesce(bool_or(l.bytes > ${LESSON_BYTES}), false))
        from (
          select e.shown, row_number() over newest as nth, sum(octet_length(e.shown::text) + 1) over newest as bytes
          from (
            select jsonb_build_object('key', l.key, 'lesson', l.lesson) as shown, l.created_at, l.key from lesson l
            where l.organization_id = ${organization} and l.agent_profile_id = ${profile}) e
          window newest as (order by e.created_at desc, e.key)) l) end as memory,
      -- what there is to learn from
      case when own.cycle is not null then (
        select jsonb_build_object('cycleStartedAt', own.cycle -> 'startedAt', 'sinceTaskId', own.watermark_task_id,
          'tasks', ended.tasks, 'more', ended.more, 'answers', answers.list, 'revoked', revoked.list)
        from (
          select coalesce(jsonb_agg(e.shown order by e.nth) filter (where e.nth <= ${TASKS}), '[]') as tasks,
            coalesce(bool_or(e.nth > ${TASKS}), false) as more
          from (
            select row_number() over (order by t.completed_at, t.id) as nth,
              jsonb_build_object('taskId', t.id, 'identifier', t.identifier_scope || '-' || t.identifier_number,
                'title', t.title, 'status', t.status, 'completedAt', ${iso('t.completed_at')}) as shown
            from task t
            where t.organization_id = ${organization} and t.owner_agent_profile_id = ${profile}
              and t.kind <> 'learning' and t.completed_at is not null and ${HAS_ENDED}
              and t.completed_at >= coalesce(own.watermark_at, '-infinity')
              and (own.watermark_at is null or (t.completed_at, t.id) > (own.watermark_at, own.watermark_task_id))
            order by t.completed_at, t.id limit ${TASKS} + 1) e) ended,
        lateral (
          select coalesce(jsonb_agg(a.shown order by a.nth) filter (where a.bytes <= ${ANSWER_BYTES}), '[]') as list
          from (
            select e.shown, row_number() over latest as nth, sum(octet_length(e.shown::text) + 1) over latest as bytes
            from (
              select jsonb_build_object('inboxItemId', i.id, 'question', i.body, 'response', i.response -> 'text')
                  as shown, i.updated_at, i.id
              from inbox_item i
              join task t on t.organization_id = ${organization} and t.id = i.task_id
              where i.organization_id = ${organization} and i.purpose = 'learning_input' and i.status = 'answered'
                and i.opened_by_profile_key = ${execution.profileKey} and t.owner_agent_profile_id = ${profile}
                and i.updated_at > coalesce(own.cycle_started_at, '-infinity')
              order by i.updated_at desc, i.id desc limit ${ANSWERS}) e
            window latest as (order by e.updated_at desc, e.id desc)) a) answers,
        lateral (
          select coalesce(jsonb_agg(a.shown order by a.nth) filter (where a.bytes <= ${REVOKED_BYTES}), '[]') as list
          from (
            select e.shown, row_number() over latest as nth, sum(octet_length(e.shown::text) + 1) over latest as bytes
            from (
              select jsonb_build_object('key', r.key, 'lesson', r.lesson, 'reason', r.reason) as shown, r.revoked_at, r.key
              from revoked_lesson r
              where r.organization_id = ${organization} and r.agent_profile_id = ${profile}
              order by r.revoked_at desc, r.key limit ${REVOKED}) e
            window latest as (order by e.revoked_at desc, e.key)) a) revoked) end as learning
    from own`;
}
