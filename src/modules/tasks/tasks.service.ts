import { Injectable } from '@nestjs/common';
import type { OwnerPrincipal } from '../../kernel/auth/index.ts';
import { Reads, Transactions, type Tx } from '../../kernel/database/index.ts';
import { ApiError } from '../../kernel/errors/index.ts';
import { Existing } from '../../kernel/http/index.ts';
import { Idempotency, type IdempotentRequest } from '../../kernel/idempotency/index.ts';
import type { Page } from '../../kernel/pagination/index.ts';
import { TaskCancellationService } from './lifecycle/task-cancellation.service.ts';
import type { CreateTaskDto } from './creation/task-creation.dto.ts';
import { TaskCreationService } from './creation/task-creation.service.ts';
import type { RetryTaskDto, TaskDto, TaskListQuery } from './task.dto.ts';
import { TaskErrors } from './task.errors.ts';
import type { TaskGraphDto } from './graph/task-graph.dto.ts';
import { graphOf } from './graph/task-graph.queries.ts';
import { toTaskGraph } from './graph/task-graph.ts';
import { toTask } from './task-row.ts';
import { TaskRetryService } from './lifecycle/task-retry.service.ts';
import { taskById, taskByRef, taskIdByRef, tasksOf } from './tasks.queries.ts';

/** Serves owners' calls on tasks. */
@Injectable()
export class TasksService {
  constructor(
    private readonly reads: Reads,
    private readonly transactions: Transactions,
    private readonly idempotency: Idempotency,
    private readonly creation: TaskCreationService,
    private readonly cancellation: TaskCancellationService,
    private readonly retrying: TaskRetryService,
  ) {}

  async list(owner: OwnerPrincipal, organizationId: string, query: TaskListQuery): Promise<Page<TaskDto>> {
    return (await this.reads.listInOrganization(owner, organizationId, tasksOf(organizationId, query))).map(toTask);
  }

  async read(owner: OwnerPrincipal, organizationId: string, ref: string): Promise<TaskDto> {
    const [row] = await this.reads.inOrganization(owner, organizationId, taskByRef(organizationId, ref));
    if (!row) throw new ApiError(TaskErrors.notFound);
    return toTask(row);
  }

  async graph(owner: OwnerPrincipal, organizationId: string, ref: string): Promise<TaskGraphDto> {
    const graph = toTaskGraph(await this.reads.inOrganization(owner, organizationId, graphOf(organizationId, ref)));
    if (!graph) throw new ApiError(TaskErrors.graphNotFound);
    return graph;
  }

  /** The new task, or the one that has its `dedupeKey` and has not ended. */
  async create(
    owner: OwnerPrincipal,
    organizationId: string,
    body: CreateTaskDto,
    request: IdempotentRequest,
  ): Promise<TaskDto | Existing<TaskDto>> {
    const { task, existing } = await this.once(owner, organizationId, body, request, async (tx) => {
      const created = await this.creation.create(tx, body, { actor: owner });
      return { task: await readIn(tx, created.id), existing: created.existing };
    });
    return existing ? new Existing(task) : task;
  }

  cancel(owner: OwnerPrincipal, organizationId: string, ref: string, request: IdempotentRequest): Promise<TaskDto> {
    return this.once(owner, organizationId, {}, request, async (tx) => {
      const id = await idOf(tx, ref);
      await this.cancellation.cancel(tx, id, { actor: owner });
      return readIn(tx, id);
    });
  }

  retry(
    owner: OwnerPrincipal,
    organizationId: string,
    ref: string,
    body: RetryTaskDto,
    request: IdempotentRequest,
  ): Promise<TaskDto> {
    return this.once(owner, organizationId, body, request, async (tx) => {
      const id = await idOf(tx, ref);
      await this.retrying.retry(tx, id, { actor: owner, maxAgentRuns: body.maxAgentRuns });
      return readIn(tx, id);
    });
  }

  private once<T>(
    owner: OwnerPrincipal,
    organizationId: string,
    details: object,
    request: IdempotentRequest,
    work: (tx: Tx) => Promise<T>,
  ): Promise<T> {
    return this.transactions.statementsInOrganization(owner, organizationId, (tx) =>
      this.idempotency.once(
        tx,
        { subject: owner.subject, request, details, organizationOf: () => organizationId },
        () => work(tx),
      ),
    );
  }
}

async function idOf(tx: Tx, ref: string): Promise<string> {
  const [row] = await tx.rows(taskIdByRef(tx.organizationId, ref));
  if (!row) throw new ApiError(TaskErrors.notFound);
  return row.id;
}

/** Reads the task in this transaction. */
async function readIn(tx: Tx, id: string): Promise<TaskDto> {
  const [row] = await tx.rows(taskById(tx.organizationId, id));
  return toTask(row!);
}
