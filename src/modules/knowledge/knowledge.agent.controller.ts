import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Execution, type ExecutionPrincipal } from '../../kernel/auth/index.ts';
import { EdgeErrors, EdgeIssues, withIssues } from '../../kernel/errors/index.ts';
import { Endpoint, type Existing } from '../../kernel/http/index.ts';
import { OrganizationParams } from '../organizations/index.ts';
import { RunIssues } from '../runs/index.ts';
import { KnowledgePublicationService } from './knowledge-publication.service.ts';
import { KnowledgeReadingService } from './knowledge-reading.service.ts';
import {
  KnowledgeDetailDto,
  KnowledgeListQuery,
  KnowledgePageDto,
  KnowledgeParams,
  PublishKnowledgeDto,
} from './knowledge.dto.ts';
import { KnowledgeErrors, KnowledgeIssues } from './knowledge.errors.ts';

@ApiTags('Internal Agent')
@Controller('internal/agent/organizations/:organizationId/knowledge')
export class KnowledgeAgentController {
  constructor(
    private readonly knowledge: KnowledgeReadingService,
    private readonly publication: KnowledgePublicationService,
  ) {}

  @Get()
  @Endpoint({
    summary: 'List or search the knowledge that the profile may read',
    description:
      'Newest first; with `search` those that hold at least half of the words, the best first, or else those with a similar title. What holds (`current`) unless asked for more.',
    auth: 'execution',
    returns: KnowledgePageDto,
    errors: [withIssues(EdgeErrors.validationFailed, KnowledgeIssues.noWords)],
  })
  list(
    @Execution() execution: ExecutionPrincipal,
    @Param() { organizationId }: OrganizationParams,
    @Query() query: KnowledgeListQuery,
  ): Promise<KnowledgePageDto> {
    return this.knowledge.list(execution, organizationId, query);
  }

  @Get(':knowledgeId')
  @Endpoint({
    summary: 'Read a record of the knowledge that the profile may read',
    description: 'With its procedure. One that the profile may not read, and a revoked one, is not found.',
    auth: 'execution',
    returns: KnowledgeDetailDto,
    errors: [KnowledgeErrors.notFound],
  })
  read(
    @Execution() execution: ExecutionPrincipal,
    @Param() { organizationId, knowledgeId }: KnowledgeParams,
  ): Promise<KnowledgeDetailDto> {
    return this.knowledge.one(execution, organizationId, knowledgeId);
  }

  @Post()
  @Endpoint({
    summary: 'Publish a record of the knowledge',
    description:
      'From a run in mode `plan` or `execute`, or a chat turn. The record is bound to bytes that runs delivered. It supersedes the record that holds under its key, never for more readers; the same content again answers 200 with the record. At most 50 a run or turn.',
    auth: 'execution',
    scope: 'work',
    execution: { modes: ['plan', 'execute'] },
    returns: KnowledgeDetailDto,
    status: 201,
    message: 'Record published',
    existing: 'There is such a record',
    errors: [
      withIssues(EdgeErrors.validationFailed, EdgeIssues.unsafeText, EdgeIssues.notPermitted, RunIssues.pathMismatch),
      withIssues(
        KnowledgeErrors.refused,
        KnowledgeIssues.keyTaken,
        KnowledgeIssues.audienceWidened,
        KnowledgeIssues.supersededMeanwhile,
        KnowledgeIssues.revokedFinding,
        KnowledgeIssues.tooManyRecords,
      ),
    ],
  })
  publish(
    @Execution() execution: ExecutionPrincipal,
    @Param() _organization: OrganizationParams,
    @Body() body: PublishKnowledgeDto,
  ): Promise<KnowledgeDetailDto | Existing<KnowledgeDetailDto>> {
    return this.publication.publish(execution, body);
  }
}
