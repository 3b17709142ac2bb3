import { Body, Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Owner, type OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { EdgeErrors, EdgeIssues, withIssues } from '../../../kernel/errors/index.ts';
import { Endpoint } from '../../../kernel/http/index.ts';
import { Idempotent, type IdempotentRequest } from '../../../kernel/idempotency/index.ts';
import type { Page } from '../../../kernel/pagination/index.ts';
import { OrganizationIssues } from '../organization.errors.ts';
import {
  CreatedOwnerTokenDto,
  CreateOwnerTokenDto,
  OwnerTokenDto,
  OwnerTokenListQuery,
  OwnerTokenParams,
} from './owner-token.dto.ts';
import { OwnerTokensService } from './owner-tokens.service.ts';

@ApiTags('owner-tokens')
@Controller('owner-tokens')
export class OwnerTokensController {
  constructor(private readonly tokens: OwnerTokensService) {}

  @Get()
  @Endpoint({
    summary: 'List your tokens',
    description:
      'Lists names and prefixes, never the tokens themselves. The bootstrap token sees the tokens of all subjects.',
    auth: 'owner',
    scope: 'read',
    returns: OwnerTokenDto,
    list: true,
  })
  list(@Owner() owner: OwnerPrincipal, @Query() query: OwnerTokenListQuery): Promise<Page<OwnerTokenDto>> {
    return this.tokens.list(owner, query);
  }

  @Post()
  @Endpoint({
    summary: 'Create a token',
    description:
      'The token gets the subject of the caller. The bootstrap token creates tokens for other people: for the one that `subject` names, else for a new one. A token cannot outlive the token that creates it or do more than that (`scopes`, `organizationIds`), and is shown in this answer only.',
    auth: 'owner',
    scope: 'settings',
    returns: CreatedOwnerTokenDto,
    status: 201,
    message: 'Owner token created',
    errors: [
      withIssues(
        EdgeErrors.validationFailed,
        EdgeIssues.notPermitted,
        OrganizationIssues.outlivesCaller,
        OrganizationIssues.exceedsCaller,
      ),
    ],
    idempotencyKey: 'optional',
  })
  create(
    @Owner() owner: OwnerPrincipal,
    @Body() body: CreateOwnerTokenDto,
    @Idempotent() request: IdempotentRequest,
  ): Promise<CreatedOwnerTokenDto> {
    return this.tokens.create(owner, body, request);
  }

  @Delete(':ownerTokenId')
  @Endpoint({
    summary: 'Revoke a token',
    description: 'Calls with this token are refused from the answer on.',
    auth: 'owner',
    scope: 'settings',
    returns: OwnerTokenDto,
    message: 'Owner token revoked',
    errors: [EdgeErrors.notFound],
  })
  revoke(@Owner() owner: OwnerPrincipal, @Param() { ownerTokenId }: OwnerTokenParams): Promise<OwnerTokenDto> {
    return this.tokens.revoke(owner, ownerTokenId);
  }
}
