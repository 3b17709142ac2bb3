import { Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Owner, type OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { Endpoint } from '../../../kernel/http/index.ts';
import { Idempotent, type IdempotentRequest } from '../../../kernel/idempotency/index.ts';
import type { Page } from '../../../kernel/pagination/index.ts';
import { OrganizationParams } from '../../organizations/index.ts';
import { TaskDependenciesService } from './task-dependencies.service.ts';
import { TaskDependencyDto, TaskDependencyListQuery, TaskDependencyParams } from '../graph/task-dependency.dto.ts';
import { TaskErrors } from '../task.errors.ts';

@ApiTags('tasks')
@Controller('organizations/:organizationId/task-dependencies')
export class TaskDependenciesController {
  constructor(private readonly dependencies: TaskDependenciesService) {}

  @Get()
  @Endpoint({
    summary: 'List the dependencies among tasks',
    auth: 'owner',
    scope: 'read',
    returns: TaskDependencyDto,
    list: true,
  })
  list(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId }: OrganizationParams,
    @Query() query: TaskDependencyListQuery,
  ): Promise<Page<TaskDependencyDto>> {
    return this.dependencies.list(owner, organizationId, query);
  }

  @Get(':taskId/:dependsOnTaskId')
  @Endpoint({
    summary: 'Read a dependency',
    auth: 'owner',
    scope: 'read',
    returns: TaskDependencyDto,
    errors: [TaskErrors.dependencyNotFound],
  })
  read(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId, ...edge }: TaskDependencyParams,
  ): Promise<TaskDependencyDto> {
    return this.dependencies.read(owner, organizationId, edge);
  }

  @Post(':taskId/:dependsOnTaskId/waive')
  @Endpoint({
    summary: 'Waive a dependency',
    description:
      'Lets the task go on without this prerequisite. Allowed while the dependency is pending or failed and its task neither runs nor has ended. Waiving again changes nothing.',
    auth: 'owner',
    scope: 'work',
    returns: TaskDependencyDto,
    message: 'Dependency waived',
    errors: [TaskErrors.dependencyNotFound, TaskErrors.notWaivable],
    idempotencyKey: 'optional',
  })
  waive(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId, ...edge }: TaskDependencyParams,
    @Idempotent() request: IdempotentRequest,
  ): Promise<TaskDependencyDto> {
    return this.dependencies.waive(owner, organizationId, edge, request);
  }
}
