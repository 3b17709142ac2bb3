import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Owner, type OwnerPrincipal } from '../../kernel/auth/index.ts';
import { Endpoint, type Existing } from '../../kernel/http/index.ts';
import { Idempotent, type IdempotentRequest } from '../../kernel/idempotency/index.ts';
import type { Page } from '../../kernel/pagination/index.ts';
import { OrganizationParams } from '../organizations/index.ts';
import { CreateTaskDto } from './creation/task-creation.dto.ts';
import { RetryTaskDto, TaskDto, TaskListQuery, TaskParams } from './task.dto.ts';
import { INVALID_TASK, TaskErrors } from './task.errors.ts';
import { TaskGraphDto } from './graph/task-graph.dto.ts';
import { TasksService } from './tasks.service.ts';

@ApiTags('tasks')
@Controller('organizations/:organizationId/tasks')
export class TasksController {
  constructor(private readonly tasks: TasksService) {}

  @Get()
  @Endpoint({ summary: 'List the tasks', auth: 'owner', scope: 'read', returns: TaskDto, list: true })
  list(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId }: OrganizationParams,
    @Query() query: TaskListQuery,
  ): Promise<Page<TaskDto>> {
    return this.tasks.list(owner, organizationId, query);
  }

  @Post()
  @Endpoint({
    summary: 'Create a task',
    description:
      'Creates a root, or a child with `parentRef`. The task runs as soon as its dependencies and `scheduledAt` permit. A second creation with the `dedupeKey` of a task that has not ended answers with that task. Answers with a conflict over a limit of the organization, under a parent that has ended and for a cycle of dependencies.',
    auth: 'owner',
    scope: 'work',
    returns: TaskDto,
    status: 201,
    message: 'Task created',
    existing: 'There is such a task',
    errors: [INVALID_TASK, TaskErrors.limitExceeded, TaskErrors.parentEnded, TaskErrors.cycle],
    idempotencyKey: 'optional',
  })
  create(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId }: OrganizationParams,
    @Body() body: CreateTaskDto,
    @Idempotent() request: IdempotentRequest,
  ): Promise<TaskDto | Existing<TaskDto>> {
    return this.tasks.create(owner, organizationId, body, request);
  }

  @Get(':taskRef')
  @Endpoint({ summary: 'Read a task', auth: 'owner', scope: 'read', returns: TaskDto, errors: [TaskErrors.notFound] })
  read(@Owner() owner: OwnerPrincipal, @Param() { organizationId, taskRef }: TaskParams): Promise<TaskDto> {
    return this.tasks.read(owner, organizationId, taskRef);
  }

  @Get(':taskRef/graph')
  @Endpoint({
    summary: 'Read the graph around a task',
    description:
      'Returns its whole tree, the tasks of other trees that dependencies tie to it, and those dependencies, all as of one moment.',
    auth: 'owner',
    scope: 'read',
    returns: TaskGraphDto,
    errors: [TaskErrors.graphNotFound],
  })
  graph(@Owner() owner: OwnerPrincipal, @Param() { organizationId, taskRef }: TaskParams): Promise<TaskGraphDto> {
    return this.tasks.graph(owner, organizationId, taskRef);
  }

  @Post(':taskRef/cancel')
  @Endpoint({
    summary: 'Cancel a task',
    description:
      'Cancels the task with all its descendants that have not ended, and asks their live runs to stop. A cancelled task stays as it is; a task that completed or failed is a conflict.',
    auth: 'owner',
    scope: 'work',
    returns: TaskDto,
    message: 'Task cancelled',
    errors: [TaskErrors.notFound, TaskErrors.ended],
    idempotencyKey: 'optional',
  })
  cancel(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId, taskRef }: TaskParams,
    @Idempotent() request: IdempotentRequest,
  ): Promise<TaskDto> {
    return this.tasks.cancel(owner, organizationId, taskRef, request);
  }

  @Post(':taskRef/retry')
  @Endpoint({
    summary: 'Retry a failed task',
    description:
      'Lets the task run again. Failed attempts count from zero, used runs stay counted: give a higher budget where it is used up. Dependents that failed with the task wait for it again.',
    auth: 'owner',
    scope: 'work',
    returns: TaskDto,
    message: 'Task retried',
    errors: [TaskErrors.notFound, TaskErrors.notFailed, TaskErrors.budgetUsedUp],
    idempotencyKey: 'optional',
  })
  retry(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId, taskRef }: TaskParams,
    @Body() body: RetryTaskDto,
    @Idempotent() request: IdempotentRequest,
  ): Promise<TaskDto> {
    return this.tasks.retry(owner, organizationId, taskRef, body, request);
  }
}
