import type { ExecutionPrincipal } from '../../../kernel/auth/index.ts';
import { columns, type Sql, sql, type Statement } from '../../../kernel/database/index.ts';
import type { AttachmentRef } from '../../chats/index.ts';
import type { StoredArtifactDto } from './run-artifact.dto.ts';

export const MAX_ARTIFACTS = 100;
/** Of each. */
export const MAX_ARTIFACT_BYTES = 50 * 1024 * 1024;

/** Whether a run has no room for one more artifact, unless it has this one already. */
export function isFull(organizationId: string, runId: string, sha256: string): Statement<{ full: boolean }> {
  return sql`
    select count(*) >= ${sql.raw(String(MAX_ARTIFACTS))} and not coalesce(bool_or(a.sha256 = ${sha256}), false) as full
    from run_artifact a where a.organization_id = ${organizationId} and a.run_id = ${runId}`;
}

/** Serializes what notes artifacts of one run, so that they can be counted. Taken before the run's row. */
export function lockArtifacts(runId: string): Statement {
  return sql`select pg_advisory_xact_lock(hashtextextended('run artifacts ' || ${runId}, 0))`;
}

const stored = columns<StoredArtifactDto>({
  runId: 'a.run_id',
  sha256: 'a.sha256',
  sizeBytes: 'a.size_bytes',
  createdAt: 'a.created_at',
});

export function noteArtifact(organizationId: string, runId: string, sha256: string, sizeBytes: number): Statement {
  return sql`
    insert into run_artifact (organization_id, run_id, sha256, size_bytes)
    values (${organizationId}, ${runId}, ${sha256}, ${sizeBytes}) on conflict do nothing`;
}

export function artifactOf(organizationId: string, runId: string, sha256: string): Statement<StoredArtifactDto> {
  return sql`
    select ${stored} from run_artifact a
    where a.organization_id = ${organizationId} and a.run_id = ${runId} and a.sha256 = ${sha256}`;
}

/** The sizes of the artifacts with these digests, of those that the run stored. */
export function storedSizes(
  organizationId: string,
  runId: string,
  digests: readonly string[],
): Statement<{ sha256: string; sizeBytes: number }> {
  return sql`
    select a.sha256, a.size_bytes as "sizeBytes" from run_artifact a
    where a.organization_id = ${organizationId} and a.run_id = ${runId} and a.sha256 = any(${digests}::text[])`;
}

/** The size of an artifact for an owner: a run without the artifact is a row without a size. */
export function artifactForOwner(
  organizationId: string,
  runId: string,
  sha256: string,
): Statement<{ sizeBytes: number | null }> {
  return sql`
    select a.size_bytes as "sizeBytes" from run r
    left join run_artifact a on a.organization_id = r.organization_id and a.run_id = r.id and a.sha256 = ${sha256}
    where r.organization_id = ${organizationId} and r.id = ${runId}`;
}

/** An execution, as far as it decides what artifacts are open to it. */
export type ArtifactReader = Pick<ExecutionPrincipal, 'organizationId' | 'department' | 'execution' | 'executionId'>;

/**
 * Whether an execution may read an artifact `a` of a run `r` with the task `t`: a turn any; a run where it sees the task (a
 * department sees its own department's), or the task that it works on depends on that one (satisfied, failed or waived
 * alike), or is its parent, or has the artifact as an input.
 */
function mayRead({ organizationId, department, execution, executionId }: ArtifactReader): Sql {
  if (execution === 'chat_turn') return sql`true`;
  const organization = sql.value(organizationId);
  const own = sql`(select own.task_id from run own where own.organization_id = ${organization} and own.id = ${executionId})`;
  return sql`(
      ${sql.value(department)}::text is null
      or t.parent_id = ${own}
      or exists (select from agent_profile p where p.organization_id = ${organization}
        and p.id = t.owner_agent_profile_id and p.department = ${sql.value(department)})
      or exists (select from task_dependency d where d.organization_id = ${organization} and d.task_id = ${own}
        and d.depends_on_task_id = t.id)
      -- an input that names the artifact by task, kind and digest
      or exists (
        select from task reader
        cross join jsonb_array_elements(reader.spec->'inputs') input
        cross join jsonb_array_elements(
          case jsonb_typeof(t.result->'artifacts') when 'array' then t.result->'artifacts' else '[]' end) artifact
        where reader.organization_id = ${organization} and reader.id = ${own} and input->>'kind' = 'artifact'
          and input->>'taskId' = t.id::text and artifact->>'kind' = input->>'artifactKind'
          and artifact->>'sha256' = a.sha256))`;
}

/** The size of an artifact for an execution that may read it. */
export function artifactForExecution(
  execution: ExecutionPrincipal,
  runId: string,
  sha256: string,
): Statement<{ sizeBytes: number }> {
  const organization = sql.value(execution.organizationId);
  return sql`
    select a.size_bytes as "sizeBytes" from run r
    join run_artifact a on a.organization_id = ${organization} and a.run_id = r.id and a.sha256 = ${sha256}
    join task t on t.organization_id = ${organization} and t.id = r.task_id
    where r.organization_id = ${organization} and r.id = ${runId} and ${mayRead(execution)}`;
}

/** Bytes of a run that somebody builds on. */
export interface ArtifactRef {
  readonly runId: string;
  readonly sha256: string;
}

export interface CitedArtifact {
  /** Of the reference, counted from 1. */
  readonly place: number;
  /** The paths under which the result of a succeeded run names the bytes; null of any other run. */
  readonly paths: readonly string[] | null;
}

/** Those of the named artifacts that an execution may read. Their runs are locked, so that no retention removes them. */
export function citedArtifacts(execution: ArtifactReader, refs: readonly ArtifactRef[]): Statement<CitedArtifact> {
  const organization = sql.value(execution.organizationId);
  return sql`
    with cited as materialized (
      select c.place, c.run_id, c.sha256 from unnest(
        ${refs.map(({ runId }) => runId)}::uuid[], ${refs.map(({ sha256 }) => sha256)}::text[])
        with ordinality c(run_id, sha256, place)),
    held as materialized (
      select r.id, r.task_id, r.status, r.output from run r
      where r.organization_id = ${organization} and r.id in (select c.run_id from cited c)
      order by r.id for key share)
    select c.place::int as place,
      case when r.status = 'succeeded' then array(
        select artifact->>'path' from jsonb_array_elements(
          case jsonb_typeof(r.output #> '{result,artifacts}') when 'array' then r.output #> '{result,artifacts}'
            else '[]' end) artifact
        where artifact->>'sha256' = c.sha256) end as paths
    from cited c
    join held r on r.id = c.run_id
    join run_artifact a on a.organization_id = ${organization} and a.run_id = c.run_id and a.sha256 = c.sha256
    join task t on t.organization_id = ${organization} and t.id = r.task_id
    where ${mayRead(execution)}
    order by c.place`;
}

/**
 * A row where an execution may read an attachment: of the chat that its task came of, or named by an owner among the
 * inputs of its root task.
 */
export function readableAttachment(
  { organizationId, executionId }: ExecutionPrincipal,
  { chatId, attachmentId }: AttachmentRef,
): Statement {
  const named = JSON.stringify([{ kind: 'attachment', chatId, attachmentId }]);
  return sql`
    select from run r
    join task t on t.organization_id = r.organization_id and t.id = r.task_id
    join task root on root.organization_id = t.organization_id and root.id = t.root_task_id
    where r.organization_id = ${organizationId} and r.id = ${executionId} and (
      t.source_chat_id = ${chatId}
      or (root.created_by_run_id is null and root.source_message_id is null
        and root.spec->'inputs' @> ${named}::jsonb))`;
}
