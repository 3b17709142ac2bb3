import type { ExecutionPrincipal } from '../../../kernel/auth/index.ts';
import { columns, type Statement, statement } from '../../../kernel/database/index.ts';
import type { StoredArtifactDto } from './run-artifact.dto.ts';

export const MAX_ARTIFACTS = 100;
/** Of each. */
export const MAX_ARTIFACT_BYTES = 50 * 1024 * 1024;

/** Whether a run has no room for one more artifact, unless it has this one already. */
export function isFull(organizationId: string, runId: string, sha256: string): Statement<{ full: boolean }> {
  return statement(
    `select count(*) >= ${MAX_ARTIFACTS} and not coalesce(bool_or(a.sha256 = $3), false) as full
     from run_artifact a where a.organization_id = $1 and a.run_id = $2`,
    organizationId,
    runId,
    sha256,
  );
}

/** Artifacts of one run are noted one after the other, so that they can be counted. Taken before the run's row. */
export function lockArtifacts(runId: string): Statement {
  return statement(`select pg_advisory_xact_lock(hashtextextended('run artifacts ' || $1, 0))`, runId);
}

const stored = columns<StoredArtifactDto>({
  runId: 'a.run_id',
  sha256: 'a.sha256',
  sizeBytes: 'a.size_bytes',
  createdAt: 'a.created_at',
});

export function noteArtifact(organizationId: string, runId: string, sha256: string, sizeBytes: number): Statement {
  return statement(
    `insert into run_artifact (organization_id, run_id, sha256, size_bytes) values ($1, $2, $3, $4) on conflict do nothing`,
    organizationId,
    runId,
    sha256,
    sizeBytes,
  );
}

export function artifactOf(organizationId: string, runId: string, sha256: string): Statement<StoredArtifactDto> {
  return statement(
    `select ${stored} from run_artifact a where a.organization_id = $1 and a.run_id = $2 and a.sha256 = $3`,
    organizationId,
    runId,
    sha256,
  );
}

/** The same for an owner: a run without the artifact is a row without a size. */
export function artifactForOwner(
  organizationId: string,
  runId: string,
  sha256: string,
): Statement<{ sizeBytes: number | null }> {
  return statement(
    `select a.size_bytes as "sizeBytes" from run r
     left join run_artifact a on a.organization_id = r.organization_id and a.run_id = r.id and a.sha256 = $3
     where r.organization_id = $1 and r.id = $2`,
    organizationId,
    runId,
    sha256,
  );
}

/**
 * The same for an execution: where it sees the run's task (a department sees its own department's), or the task that it
 * works on depends on that one, whatever became of the edge, or is its parent, or has the artifact as an input.
 */
export function artifactForExecution(
  { organizationId, executionId, department }: ExecutionPrincipal,
  runId: string,
  sha256: string,
): Statement<{ sizeBytes: number }> {
  return statement(
    `select a.size_bytes as "sizeBytes" from run r
     join run_artifact a on a.organization_id = r.organization_id and a.run_id = r.id and a.sha256 = $3
     join task t on t.organization_id = r.organization_id and t.id = r.task_id
     join run own on own.organization_id = r.organization_id and own.id = $4
     where r.organization_id = $1 and r.id = $2 and (
       $5::text is null
       or t.parent_id = own.task_id
       or exists (select from agent_profile p where p.organization_id = t.organization_id and p.id = t.owner_agent_profile_id
         and p.department = $5)
       or exists (select from task_dependency d where d.organization_id = t.organization_id and d.task_id = own.task_id
         and d.depends_on_task_id = t.id)
       or exists (
         select from task reader
         cross join jsonb_array_elements(reader.spec->'inputs') input
         cross join jsonb_array_elements(case jsonb_typeof(t.result->'artifacts') when 'array' then t.result->'artifacts' else '[]' end) artifact
         where reader.organization_id = $1 and reader.id = own.task_id and input->>'kind' = 'artifact'
           and input->>'taskId' = t.id::text and artifact->>'kind' = input->>'artifactKind' and artifact->>'sha256' = a.sha256))`,
    organizationId,
    runId,
    sha256,
    executionId,
    department,
  );
}
