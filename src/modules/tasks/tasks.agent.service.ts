import { Injectable } from '@nestjs/common';
import { type ExecutionPrincipal, LiveExecutions } from '../../kernel/auth/index.ts';
import { Reads, Transactions, type Tx } from '../../kernel/database/index.ts';
import { ApiError, EdgeErrors } from '../../kernel/errors/index.ts';
import { Existing } from '../../kernel/http/index.ts';
import type { Page } from '../../kernel/pagination/index.ts';
import { sourceOfTurn } from '../chats/index.ts';
import type { TaskOrigin } from './creation/new-task.ts';
import { TaskCancellationService } from './lifecycle/task-cancellation.service.ts';
import type { CreateRootTaskDto } from './creation/task-creation.dto.ts';
import { TaskCreationService } from './creation/task-creation.service.ts';
import type { TaskDto, TaskListQuery } from './task.dto.ts';
import { toTask } from './task-row.ts';
import type { TaskGraphDto } from './graph/task-graph.dto.ts';
import { graphOf } from './graph/task-graph.queries.ts';
import { toTaskGraph } from './graph/task-graph.ts';
import { taskById, taskByRef, taskIdByRef, tasksOf, type TaskAudience } from './tasks.queries.ts';

/** Searches and creations of an execution wait as its owner's do; no lease hangs on them. */
const ORDINARY = { lane: 'ordinary' } as const;

/** Serves executions' calls on tasks: those of a department see its own tasks, those of operator and chat all. */
@Injectable()
export class TasksAgentService {
  constructor(
    private readonly reads: Reads,
    private readonly transactions: Transactions,
    private readonly executions: LiveExecutions,
    private readonly creation: TaskCreationService,
    private readonly cancellation: TaskCancellationService,
  ) {}

  async list(execution: ExecutionPrincipal, query: TaskListQuery): Promise<Page<TaskDto>> {
    const list = tasksOf(execution.organizationId, query, audienceOf(execution));
    return (await this.reads.listThrough(this.executions.access(execution, ORDINARY), list)).map(toTask);
  }

  async read(execution: ExecutionPrincipal, ref: string): Promise<TaskDto> {
    const query = taskByRef(execution.organizationId, ref, audienceOf(execution));
    const [row] = await this.reads.through(this.executions.access(execution, ORDINARY), query);
    if (!row) throw new ApiError(EdgeErrors.notFound);
    return toTask(row);
  }

  async graph(execution: ExecutionPrincipal, ref: string): Promise<TaskGraphDto> {
    const query = graphOf(execution.organizationId, ref, audienceOf(execution));
    const graph = toTaskGraph(await this.reads.through(this.executions.access(execution, ORDINARY), query));
    if (!graph) throw new ApiError(EdgeErrors.notFound);
    return graph;
  }

  async create(execution: ExecutionPrincipal, body: CreateRootTaskDto): Promise<TaskDto | Existing<TaskDto>> {
    const { organizationId } = execution;
    return this.transactions.through(
      this.executions.access(execution, { ...ORDINARY, enabledProfile: true }),
      async (tx) => {
        const origin = { ...(await originOf(tx, execution)), actor: execution };
        const { id, existing } = await this.creation.create(tx, body, origin);
        await this.holdIfTurn(tx, execution);
        const [row] = await tx.rows(taskById(organizationId, id));
        return existing ? new Existing(toTask(row!)) : toTask(row!);
      },
    );
  }

  cancel(execution: ExecutionPrincipal, ref: string): Promise<TaskDto> {
    const { organizationId } = execution;
    return this.transactions.through(this.executions.access(execution, ORDINARY), async (tx) => {
      const [found] = await tx.rows(taskIdByRef(organizationId, ref, audienceOf(execution)));
      if (!found) throw new ApiError(EdgeErrors.notFound);
      await this.cancellation.cancel(tx, found.id, { actor: execution });
      await this.holdIfTurn(tx, execution);
      const [row] = await tx.rows(taskById(organizationId, found.id));
      return toTask(row!);
    });
  }

  /** Refuses what would land behind the end of a turn, which is locked behind tasks. */
  private async holdIfTurn(tx: Tx, execution: ExecutionPrincipal): Promise<void> {
    if (execution.execution === 'chat_turn') await this.executions.hold(tx, execution);
  }
}

function audienceOf({ profileKind, department }: ExecutionPrincipal): TaskAudience {
  return { department: profileKind === 'department' ? department : null };
}

/** Provenance is the execution's, never what the caller says. Of a turn it is the person's message that it answers. */
async function originOf(tx: Tx, { execution, executionId }: ExecutionPrincipal): Promise<TaskOrigin> {
  if (execution === 'task_run') return { createdByRunId: executionId };
  const turn = await sourceOfTurn(tx, executionId);
  return { sourceChatId: turn?.chatId ?? null, sourceMessageId: turn?.messageId ?? null };
}
