import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Execution, type ExecutionPrincipal } from '../../kernel/auth/index.ts';
import { EdgeErrors } from '../../kernel/errors/index.ts';
import { Endpoint, type Existing } from '../../kernel/http/index.ts';
import type { Page } from '../../kernel/pagination/index.ts';
import { OrganizationParams } from '../organizations/index.ts';
import { CreateRootTaskDto } from './creation/task-creation.dto.ts';
import { TaskDto, TaskListQuery, TaskParams } from './task.dto.ts';
import { INVALID_TASK, TaskErrors } from './task.errors.ts';
import { TaskGraphDto } from './graph/task-graph.dto.ts';
import { TasksAgentService } from './tasks.agent.service.ts';

const VISIBILITY = 'A department sees the tasks of its own profiles; operator and chat see all tasks.';

/** A chat turn, or a run of the operator that plans or executes. */
const MOVERS = { profileKinds: ['operator', 'chat'], modes: ['plan', 'execute'] } as const;

@ApiTags('Internal Agent')
@Controller('internal/agent/organizations/:organizationId/tasks')
export class TasksAgentController {
  constructor(private readonly tasks: TasksAgentService) {}

  @Get()
  @Endpoint({ summary: 'List tasks', description: VISIBILITY, auth: 'execution', returns: TaskDto, list: true })
  list(
    @Execution() execution: ExecutionPrincipal,
    @Param() _organization: OrganizationParams,
    @Query() query: TaskListQuery,
  ): Promise<Page<TaskDto>> {
    return this.tasks.list(execution, query);
  }

  @Post()
  @Endpoint({
    summary: 'Create a task',
    description:
      'Creates a root; plans create children. Allowed in a chat turn or a run of the operator, while its profile is enabled. The service records which turn or run created the task. A second creation with the `dedupeKey` of a task that has not ended answers with that task.',
    auth: 'execution',
    scope: 'work',
    execution: MOVERS,
    returns: TaskDto,
    status: 201,
    message: 'Task created',
    existing: 'There is such a task',
    errors: [INVALID_TASK, TaskErrors.limitExceeded],
  })
  create(
    @Execution() execution: ExecutionPrincipal,
    @Param() _organization: OrganizationParams,
    @Body() body: CreateRootTaskDto,
  ): Promise<TaskDto | Existing<TaskDto>> {
    return this.tasks.create(execution, body);
  }

  @Get(':taskRef')
  @Endpoint({
    summary: 'Read a task',
    description: VISIBILITY,
    auth: 'execution',
    returns: TaskDto,
    errors: [EdgeErrors.notFound],
  })
  read(@Execution() execution: ExecutionPrincipal, @Param() { taskRef }: TaskParams): Promise<TaskDto> {
    return this.tasks.read(execution, taskRef);
  }

  @Get(':taskRef/graph')
  @Endpoint({
    summary: 'Read the graph around a task',
    description: `Returns its tree and the tasks that dependencies tie to it, all as of one moment. ${VISIBILITY}`,
    auth: 'execution',
    returns: TaskGraphDto,
    errors: [EdgeErrors.notFound],
  })
  graph(@Execution() execution: ExecutionPrincipal, @Param() { taskRef }: TaskParams): Promise<TaskGraphDto> {
    return this.tasks.graph(execution, taskRef);
  }

  @Post(':taskRef/cancel')
  @Endpoint({
    summary: 'Cancel a task',
    description:
      'Cancels the task with all its descendants that have not ended. Allowed in a chat turn or a run of the operator. A cancelled task stays as it is.',
    auth: 'execution',
    scope: 'work',
    execution: MOVERS,
    returns: TaskDto,
    message: 'Task cancelled',
    errors: [EdgeErrors.notFound, TaskErrors.ended],
  })
  cancel(@Execution() execution: ExecutionPrincipal, @Param() { taskRef }: TaskParams): Promise<TaskDto> {
    return this.tasks.cancel(execution, taskRef);
  }
}
