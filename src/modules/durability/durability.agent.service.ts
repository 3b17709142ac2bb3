import { Injectable } from '@nestjs/common';
import { type ExecutionPrincipal, type HeldExecution, LiveExecutions } from '../../kernel/auth/index.ts';
import { Reads, Transactions, type Tx } from '../../kernel/database/index.ts';
import { ApiError, EdgeErrors, EdgeIssues, invalid } from '../../kernel/errors/index.ts';
import { validatedPart } from '../../kernel/validation/index.ts';
import { type DurabilityRowDto, type PutDurabilityRowDto, TaskCheckpointDto } from './durability.dto.ts';
import { DurabilityErrors, DurabilityIssues } from './durability.errors.ts';
import { ownerOfKey } from './durability-key.ts';
import {
  boundRow,
  createRow,
  deleteRow,
  durabilityRow,
  replaceRow,
  type RowKey,
  whetherPast,
} from './durability.queries.ts';
import { TASK_CHECKPOINT } from './durability.state.ts';

/** What executions keep: each sees the rows of the one task that it works on, or of the chat that it answers in. */
@Injectable()
export class DurabilityAgentService {
  constructor(
    private readonly reads: Reads,
    private readonly transactions: Transactions,
    private readonly executions: LiveExecutions,
  ) {}

  async read(execution: ExecutionPrincipal, key: RowKey): Promise<DurabilityRowDto> {
    const [row] = await this.reads.through(this.executions.access(execution), boundRow(execution, key));
    if (!row) throw new ApiError(EdgeErrors.notFound);
    return row;
  }

  put(execution: ExecutionPrincipal, key: RowKey, body: PutDurabilityRowDto): Promise<DurabilityRowDto> {
    if (body.kind === TASK_CHECKPOINT) validatedPart(TaskCheckpointDto, body.payload, 'payload');
    return this.writing(execution, key, async (tx, held) => {
      if (body.kind === TASK_CHECKPOINT && (body.payload.taskId as string).toLowerCase() !== boundId(held, 'task'))
        throw invalid('payload.taskId', DurabilityIssues.wrongTask);
      await refusePast(tx, body.expiresAt);
      const write = body.expectedVersion === 0 ? createRow : replaceRow;
      const sourceRunId = execution.execution === 'task_run' ? execution.executionId : null;
      const [row] = await tx.rows(write(key, body, sourceRunId));
      if (!row) throw new ApiError(DurabilityErrors.versionConflict);
      return row;
    });
  }

  delete(execution: ExecutionPrincipal, key: RowKey, expectedVersion: number): Promise<DurabilityRowDto> {
    return this.writing(execution, key, async (tx) => {
      const [row] = await tx.rows(deleteRow(key, expectedVersion));
      if (row) return row;
      const [other] = await tx.rows(durabilityRow(key));
      throw new ApiError(other ? DurabilityErrors.versionConflict : EdgeErrors.notFound);
    });
  }

  /** Nothing lands behind the end of the run or turn; 404 for the key of another task or chat. */
  private writing<T>(
    execution: ExecutionPrincipal,
    { namespace, key }: RowKey,
    write: (tx: Tx, held: HeldExecution) => Promise<T>,
  ): Promise<T> {
    return this.transactions.through(this.executions.access(execution), async (tx) => {
      const held = await this.executions.hold(tx, execution);
      if (boundId(held, namespace) !== ownerOfKey(key)) throw new ApiError(EdgeErrors.notFound);
      return write(tx, held);
    });
  }
}

/** The task or chat that an execution is bound to; undefined of the other namespace. */
function boundId(held: HeldExecution, namespace: RowKey['namespace']): string | undefined {
  if (held.execution === 'task_run') return namespace === 'task' ? held.taskId : undefined;
  return namespace === 'chat' ? held.chatId : undefined;
}

async function refusePast(tx: Tx, expiresAt: string | null | undefined): Promise<void> {
  if (expiresAt === null || expiresAt === undefined) return;
  const [time] = await tx.rows(whetherPast(expiresAt));
  if (time!.isPast) throw invalid('expiresAt', EdgeIssues.notInFuture);
}
