import { Controller, Delete, Get, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Caller, type ExecutionPrincipal, Owner, type OwnerPrincipal } from '../../kernel/auth/index.ts';
import { EdgeErrors, EdgeIssues, withIssues } from '../../kernel/errors/index.ts';
import { Endpoint } from '../../kernel/http/index.ts';
import { OrganizationParams } from '../organizations/index.ts';
import { KnowledgeReadingService } from './knowledge-reading.service.ts';
import { KnowledgeRevocationService } from './knowledge-revocation.service.ts';
import {
  KnowledgeDetailDto,
  KnowledgeListQuery,
  KnowledgePageDto,
  KnowledgeParams,
  RevokeKnowledgeQuery,
} from './knowledge.dto.ts';
import { KnowledgeErrors, KnowledgeIssues } from './knowledge.errors.ts';

@ApiTags('knowledge')
@Controller('organizations/:organizationId/knowledge')
export class KnowledgeController {
  constructor(
    private readonly knowledge: KnowledgeReadingService,
    private readonly revocation: KnowledgeRevocationService,
  ) {}

  @Get()
  @Endpoint({
    summary: 'List or search the knowledge',
    description:
      'Newest first; with `search` those that hold at least half of the words, the best first, or else those with a similar title. Owners see everything, executions what their profile may read.',
    auth: ['owner', 'execution'],
    scope: 'read',
    returns: KnowledgePageDto,
    errors: [withIssues(EdgeErrors.validationFailed, KnowledgeIssues.noWords)],
  })
  list(
    @Caller() caller: OwnerPrincipal | ExecutionPrincipal,
    @Param() { organizationId }: OrganizationParams,
    @Query() query: KnowledgeListQuery,
  ): Promise<KnowledgePageDto> {
    return this.knowledge.list(caller, organizationId, query);
  }

  @Get(':knowledgeId')
  @Endpoint({
    summary: 'Read a record of the knowledge',
    description: 'A record that the caller may not read is not found; executions do not find revoked ones.',
    auth: ['owner', 'execution'],
    scope: 'read',
    returns: KnowledgeDetailDto,
    errors: [KnowledgeErrors.notFound],
  })
  read(
    @Caller() caller: OwnerPrincipal | ExecutionPrincipal,
    @Param() { organizationId, knowledgeId }: KnowledgeParams,
  ): Promise<KnowledgeDetailDto> {
    return this.knowledge.one(caller, organizationId, knowledgeId);
  }

  @Delete(':knowledgeId')
  @Endpoint({
    summary: 'Revoke a record of the knowledge',
    description:
      'The record stays for owners. No execution finds it any more, and none may publish its finding again: it is told the reason. What the record superseded stays superseded. Again: 200 with the first reason.',
    auth: 'owner',
    scope: 'work',
    returns: KnowledgeDetailDto,
    message: 'Record revoked',
    errors: [withIssues(EdgeErrors.validationFailed, EdgeIssues.unsafeText), KnowledgeErrors.notFound],
  })
  revoke(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId, knowledgeId }: KnowledgeParams,
    @Query() { reason }: RevokeKnowledgeQuery,
  ): Promise<KnowledgeDetailDto> {
    return this.revocation.revoke(owner, organizationId, knowledgeId, reason);
  }
}
