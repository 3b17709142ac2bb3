import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Owner, type OwnerPrincipal } from '../../kernel/auth/index.ts';
import { withIssues } from '../../kernel/errors/index.ts';
import { type ByteAnswer, Endpoint, type EndpointSpec } from '../../kernel/http/index.ts';
import type { Page } from '../../kernel/pagination/index.ts';
import { OrganizationParams } from '../organizations/index.ts';
import { ActionDetailDto, ActionDto, ActionListQuery, ActionParams } from './action.dto.ts';
import { ActionErrors, ActionIssues } from './action.errors.ts';
import { ActionsService } from './actions.service.ts';
import { DecisionDto } from './decision/decision.dto.ts';
import { DecisionsService } from './decision/decisions.service.ts';
import { ReconcileDto } from './reconciliation/reconciliation.dto.ts';
import { ReconciliationService } from './reconciliation/reconciliation.service.ts';

const DECISION = {
  auth: 'owner',
  scope: 'decide',
  returns: ActionDetailDto,
  errors: [ActionErrors.notFound, ActionErrors.stateConflict],
} as const satisfies Partial<EndpointSpec>;

@ApiTags('actions')
@Controller('organizations/:organizationId/actions')
export class ActionsController {
  constructor(
    private readonly actions: ActionsService,
    private readonly decisions: DecisionsService,
    private readonly reconciliation: ReconciliationService,
  ) {}

  @Get()
  @Endpoint({
    summary: 'List the actions',
    description:
      'What agents want done, and what became of it; newest first. `decided` tells whether there is a decision.',
    auth: 'owner',
    scope: 'read',
    returns: ActionDto,
    list: true,
  })
  list(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId }: OrganizationParams,
    @Query() query: ActionListQuery,
  ): Promise<Page<ActionDto>> {
    return this.actions.list(owner, organizationId, query);
  }

  @Get(':id')
  @Endpoint({
    summary: 'Read an action',
    description: 'With its arguments and the whole preview.',
    auth: 'owner',
    scope: 'read',
    returns: ActionDetailDto,
    errors: [ActionErrors.notFound],
  })
  read(@Owner() owner: OwnerPrincipal, @Param() { organizationId, id }: ActionParams): Promise<ActionDetailDto> {
    return this.actions.read(owner, organizationId, id);
  }

  @Get(':id/payload')
  @Endpoint({
    summary: 'Download what an action sends',
    description:
      'Byte for byte what is sent: the arguments as canonical JSON (RFC 8785); of a `git_push` its pack, which is kept for 7 days after the end of the action.',
    auth: 'owner',
    scope: 'decide',
    bytes: true,
    errors: [ActionErrors.notFound],
  })
  payload(@Owner() owner: OwnerPrincipal, @Param() { organizationId, id }: ActionParams): Promise<ByteAnswer> {
    return this.actions.payload(owner, organizationId, id);
  }

  @Post(':id/approve')
  @Endpoint({
    ...DECISION,
    errors: [
      ActionErrors.notFound,
      withIssues(ActionErrors.stateConflict, ActionIssues.factChanged, ActionIssues.unusable),
    ],
    summary: 'Approve an action',
    description:
      'The first decision counts. A repeat is answered as the first time, whatever became of the action meanwhile. Where something has changed that the action was bound to, it expires instead (409 `fact_changed`). Where its connector or tool cannot be used at present, the issue has the word for that.',
  })
  approve(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId, id }: ActionParams,
    @Body() body: DecisionDto,
  ): Promise<ActionDetailDto> {
    return this.decisions.byOwner(owner, organizationId, id, 'approve', body);
  }

  @Post(':id/reject')
  @Endpoint({
    ...DECISION,
    summary: 'Reject an action',
    description: 'The first decision counts. A repeat is answered as the first time.',
  })
  reject(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId, id }: ActionParams,
    @Body() body: DecisionDto,
  ): Promise<ActionDetailDto> {
    return this.decisions.byOwner(owner, organizationId, id, 'reject', body);
  }

  @Post(':id/reconcile')
  @Endpoint({
    ...DECISION,
    summary: 'Say what became of an action',
    description:
      'Of one that was sent and whose outcome nobody knows (`reconciliation_required`): it is never sent again. The first word counts; the same outcome again is answered with it. An answer of the provider that comes later is only noted, as `error.observed`.',
  })
  reconcile(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId, id }: ActionParams,
    @Body() body: ReconcileDto,
  ): Promise<ActionDetailDto> {
    return this.reconciliation.byOwner(owner, organizationId, id, body);
  }
}
