import type { RunDetailDto, RunDto } from './run.dto.ts';

/** The columns of a run as it is shown; those of its profile too: as JSON they take a third of a list's database time. */
export interface RunRow extends Omit<RunDto, 'agentProfile'> {
  profileId: string;
  profileKey: string;
  profileName: string;
  profileKind: string;
  profileDepartment: string | null;
  profileStatus: string;
}

export type RunDetailRow = RunRow & Pick<RunDetailDto, 'receipts'>;

export function toRun(row: RunRow): RunDto {
  return {
    id: row.id,
    taskId: row.taskId,
    runRequestId: row.runRequestId,
    agentProfile: {
      id: row.profileId,
      key: row.profileKey,
      name: row.profileName,
      kind: row.profileKind,
      department: row.profileDepartment,
      status: row.profileStatus,
    },
    attempt: row.attempt,
    mode: row.mode,
    status: row.status,
    model: row.model,
    workerId: row.workerId,
    harness: row.harness,
    workspaceUri: row.workspaceUri,
    leaseExpiresAt: row.leaseExpiresAt,
    output: row.output,
    error: row.error,
    usage: row.usage,
    startedAt: row.startedAt,
    finishedAt: row.finishedAt,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}

export function toRunDetail(row: RunDetailRow): RunDetailDto {
  return { ...toRun(row), receipts: row.receipts };
}
