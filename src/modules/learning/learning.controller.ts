import { Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Caller, type ExecutionPrincipal, Owner, type OwnerPrincipal } from '../../kernel/auth/index.ts';
import { EdgeErrors, EdgeIssues, withIssues } from '../../kernel/errors/index.ts';
import { Endpoint } from '../../kernel/http/index.ts';
import { OrganizationParams } from '../organizations/index.ts';
import { LearningAgentService } from './learning.agent.service.ts';
import {
  LearningCycleDto,
  LearningDto,
  LessonParams,
  ProfileLearningParams,
  RevokedLessonDto,
  RevokeQuery,
} from './learning.dto.ts';
import { LearningErrors } from './learning.errors.ts';
import { LearningService } from './learning.service.ts';

const WHO = 'Executions of the operator and the chat profile read all, those of a department their own profile’s.';

@ApiTags('learning')
@Controller('organizations/:organizationId/learning')
export class LearningController {
  constructor(
    private readonly learning: LearningService,
    private readonly agents: LearningAgentService,
  ) {}

  @Get()
  @Endpoint({
    summary: 'List what the agent profiles have learned',
    description: `Of every enabled profile its memory, and what it asks people. ${WHO}`,
    auth: ['owner', 'execution'],
    scope: 'read',
    returns: LearningDto,
    array: true,
  })
  list(
    @Caller() caller: OwnerPrincipal | ExecutionPrincipal,
    @Param() { organizationId }: OrganizationParams,
  ): Promise<LearningDto[]> {
    return caller.kind === 'owner' ? this.learning.list(caller, organizationId) : this.agents.list(caller);
  }

  @Get(':profileKey')
  @Endpoint({
    summary: 'Read what an agent profile has learned',
    description: `Of an enabled profile. ${WHO}`,
    auth: ['owner', 'execution'],
    scope: 'read',
    returns: LearningDto,
    errors: [LearningErrors.profileNotFound],
  })
  read(
    @Caller() caller: OwnerPrincipal | ExecutionPrincipal,
    @Param() { organizationId, profileKey }: ProfileLearningParams,
  ): Promise<LearningDto> {
    return caller.kind === 'owner'
      ? this.learning.read(caller, organizationId, profileKey)
      : this.agents.read(caller, profileKey);
  }

  @Post(':profileKey/refresh')
  @Endpoint({
    summary: 'Let an agent profile learn from its work',
    description:
      'Answers with the profile’s learning task: a new one, or the one that has not ended, as it is. Executions of the operator and the chat profile may ask for every enabled profile, those of a department for their own; a run that verifies may not.',
    auth: ['owner', 'execution'],
    scope: 'work',
    execution: { modes: ['plan', 'execute'] },
    returns: LearningCycleDto,
    message: 'Learning task is there',
    errors: [LearningErrors.profileNotFound, LearningErrors.profileDisabled, LearningErrors.keyTaken],
  })
  refresh(
    @Caller() caller: OwnerPrincipal | ExecutionPrincipal,
    @Param() { organizationId, profileKey }: ProfileLearningParams,
  ): Promise<LearningCycleDto> {
    return caller.kind === 'owner'
      ? this.learning.refresh(caller, organizationId, profileKey)
      : this.agents.refresh(caller, profileKey);
  }

  @Delete(':profileKey/lessons/:lessonKey')
  @Endpoint({
    operationId: 'learning.revokeLesson',
    summary: 'Revoke a lesson',
    description:
      'The lesson goes, and neither its key nor its text is learned again, by a cycle that runs now either. Runs of the profile that learn are told the reason. Again, it answers with the first reason.',
    auth: 'owner',
    scope: 'work',
    returns: RevokedLessonDto,
    message: 'Lesson revoked',
    errors: [
      withIssues(EdgeErrors.validationFailed, EdgeIssues.unsafeText),
      LearningErrors.profileNotFound,
      LearningErrors.lessonNotFound,
    ],
  })
  revoke(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId, profileKey, lessonKey }: LessonParams,
    @Query() { reason }: RevokeQuery,
  ): Promise<RevokedLessonDto> {
    return this.learning.revoke(owner, organizationId, profileKey, { key: lessonKey, reason });
  }
}
