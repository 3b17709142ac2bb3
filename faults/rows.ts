/** What the database holds at the end. Times are milliseconds since the epoch. */
export interface Rows {
  readonly tasks: readonly TaskRow[];
  readonly requests: readonly RequestRow[];
  readonly runs: readonly RunRow[];
  readonly logs: readonly LogRow[];
  readonly artifacts: readonly ArtifactRow[];
  readonly checkpoints: readonly CheckpointRow[];
  readonly dependencies: readonly DependencyRow[];
  readonly activity: readonly ActivityRow[];
}

export interface TaskRow {
  readonly id: string;
  readonly organization: string;
  readonly scope: string;
  readonly number: number;
  readonly title: string;
  /** Others than `task` are the backend's own, which no worker here takes. */
  readonly kind: string;
  readonly status: string;
  readonly runCount: number;
  readonly consumed: number;
  readonly maxRuns: number;
  readonly blockers: readonly { readonly kind: string }[];
  /** Digest of its result, if it has one. */
  readonly summary: string | null;
  /** Whether a sweep found that nothing would advance it. */
  readonly repaired: boolean;
}

export interface RequestRow {
  readonly id: string;
  readonly taskId: string;
  readonly status: string;
  readonly attempts: number;
  readonly maxAttempts: number;
}

export interface RunRow {
  readonly id: string;
  readonly organization: string;
  readonly profile: string;
  readonly taskId: string;
  readonly requestId: string;
  readonly attempt: number;
  readonly mode: string;
  readonly status: string;
  readonly summary: string | null;
  readonly hasOutput: boolean;
  readonly errorClass: string | null;
  readonly cancelRequested: boolean;
  readonly digest: string | null;
  readonly startedAt: number;
  /** The time of the worker's last call. */
  readonly beatAt: number;
  readonly finishedAt: number | null;
}

export interface LogRow {
  readonly runId: string;
  readonly sequence: number;
  readonly label: string;
  readonly receivedAt: number;
}

export interface ArtifactRow {
  readonly runId: string;
  readonly sha256: string;
  readonly storedAt: number;
}

export interface CheckpointRow {
  readonly runId: string;
  readonly version: number;
  /** The version that its writer intended to make. */
  readonly written: number;
}

export interface DependencyRow {
  readonly taskId: string;
  readonly dependsOn: string;
  readonly status: string;
  readonly required: boolean;
  readonly settledAt: number | null;
}

export interface ActivityRow {
  readonly verb: string;
  readonly subjectId: string;
  readonly count: number;
}

type Select = <T extends object>(text: string) => Promise<T[]>;

const ms = (column: string) => `(extract(epoch from ${column}) * 1000)::float8`;

export async function readRows(select: Select): Promise<Rows> {
  return {
    tasks: await select<TaskRow>(
      `select id, organization_id as organization, identifier_scope as scope, identifier_number as number, title, kind, status,
         agent_run_count as "runCount", consumed_agent_run_count as consumed, max_agent_runs as "maxRuns", blockers,
         result->>'summary' as summary, repaired_at is not null as repaired
       from task`,
    ),
    requests: await select<RequestRow>(
      `select id, task_id as "taskId", status, attempt_count as attempts, max_attempts as "maxAttempts" from run_request`,
    ),
    runs: await select<RunRow>(
      `select id, organization_id as organization, agent_profile_id as profile, task_id as "taskId",
         run_request_id as "requestId", attempt, mode, status, output->'result'->>'summary' as summary,
         output is not null as "hasOutput", error->>'class' as "errorClass",
         cancel_requested_at is not null as "cancelRequested", final_digest as digest,
         ${ms('started_at')} as "startedAt", ${ms('heartbeat_at')} as "beatAt", ${ms('finished_at')} as "finishedAt"
       from run`,
    ),
    logs: await select<LogRow>(
      `select run_id as "runId", sequence, label, ${ms('received_at')} as "receivedAt" from run_log`,
    ),
    artifacts: await select<ArtifactRow>(
      `select run_id as "runId", sha256, ${ms('created_at')} as "storedAt" from run_artifact`,
    ),
    checkpoints: await select<CheckpointRow>(
      `select payload->>'runId' as "runId", version, (payload->>'version')::int as written from durability_row`,
    ),
    dependencies: await select<DependencyRow>(
      `select task_id as "taskId", depends_on_task_id as "dependsOn", status, required,
         ${ms('coalesce(satisfied_at, failed_at)')} as "settledAt"
       from task_dependency`,
    ),
    activity: await select<ActivityRow>(
      `select verb, subject_id as "subjectId", count(*)::int as count from activity
       where subject_kind in ('task', 'run') group by verb, subject_id`,
    ),
  };
}
