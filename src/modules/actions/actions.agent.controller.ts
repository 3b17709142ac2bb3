import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Execution, type ExecutionPrincipal } from '../../kernel/auth/index.ts';
import { EdgeErrors, EdgeIssues, withIssues } from '../../kernel/errors/index.ts';
import { Endpoint, type EndpointSpec, type Existing } from '../../kernel/http/index.ts';
import type { Page } from '../../kernel/pagination/index.ts';
import { IntegrationIssues, USE_ISSUES } from '../integrations/index.ts';
import { ActionDetailDto, ActionDto, ActionListQuery, ActionParams } from './action.dto.ts';
import { ActionErrors, ActionIssues } from './action.errors.ts';
import { ActionsAgentService } from './actions.agent.service.ts';
import { DecisionDto } from './decision/decision.dto.ts';
import { DecisionsService } from './decision/decisions.service.ts';
import { ProposeActionDto } from './proposal/proposal.dto.ts';
import { ReconcileDto } from './reconciliation/reconciliation.dto.ts';
import { ReconciliationService } from './reconciliation/reconciliation.service.ts';
import { ProposalsService } from './proposal/proposals.service.ts';

/** A turn of the chat profile, for the person whose message it answers. */
const CHAT = {
  auth: 'execution',
  execution: { kinds: ['chat_turn'], profileKinds: ['chat'] },
} as const satisfies Partial<EndpointSpec>;

const DECISION = {
  ...CHAT,
  scope: 'decide',
  returns: ActionDetailDto,
  errors: [
    ActionErrors.notFound,
    withIssues(
      ActionErrors.stateConflict,
      EdgeIssues.newerThanMessage,
      ActionIssues.factChanged,
      ActionIssues.unusable,
      ActionIssues.notCommanded,
      ActionIssues.chatDecisionsOff,
    ),
  ],
} as const satisfies Partial<EndpointSpec>;

@ApiTags('Internal Agent')
@Controller('internal/agent/organizations/:organizationId/actions')
export class ActionsAgentController {
  constructor(
    private readonly actions: ActionsAgentService,
    private readonly proposals: ProposalsService,
    private readonly decisions: DecisionsService,
    private readonly reconciliation: ReconciliationService,
  ) {}

  @Get()
  @Endpoint({
    ...CHAT,
    summary: 'List the actions, in a chat',
    description: 'As the person sees them whose message the turn answers.',
    returns: ActionDto,
    list: true,
  })
  list(@Execution() execution: ExecutionPrincipal, @Query() query: ActionListQuery): Promise<Page<ActionDto>> {
    return this.actions.list(execution, query);
  }

  @Get(':id')
  @Endpoint({
    ...CHAT,
    summary: 'Read an action, in a chat',
    returns: ActionDetailDto,
    errors: [ActionErrors.notFound],
  })
  read(@Execution() execution: ExecutionPrincipal, @Param() { id }: ActionParams): Promise<ActionDetailDto> {
    return this.actions.read(execution, id);
  }

  @Post()
  @Endpoint({
    summary: 'Propose an action',
    description:
      'From any live run or turn of an enabled profile. It is sent once it is approved, by a person where a rule asks for one, and at most once. The same key and digest answer 200 with the action in whatever status. A task proposes at most `maxActions`, a turn 20.',
    auth: 'execution',
    scope: 'work',
    returns: ActionDetailDto,
    status: 201,
    message: 'Action proposed',
    existing: 'Action proposed before',
    errors: [
      withIssues(EdgeErrors.validationFailed, EdgeIssues.unknownReference),
      // Of a connector that may not be used; a tool that it never had is no reference.
      withIssues(ActionErrors.stateConflict, ...USE_ISSUES.filter((row) => row !== IntegrationIssues.toolUnknown)),
      ActionErrors.budgetExhausted,
    ],
  })
  propose(
    @Execution() execution: ExecutionPrincipal,
    @Body() body: ProposeActionDto,
  ): Promise<ActionDetailDto | Existing<ActionDetailDto>> {
    return this.proposals.propose(execution, body);
  }

  @Post(':id/approve')
  @Endpoint({
    ...DECISION,
    summary: 'Approve an action for the person',
    description:
      'In the turn that answers the person’s message, where the token that posted it may decide. Only what awaited the decision before that message was stored, and as `CHAT_DECISIONS` of the deployment permits: with `command` the message itself must hold the line `/approve <reference>`.',
  })
  approve(
    @Execution() execution: ExecutionPrincipal,
    @Param() { id }: ActionParams,
    @Body() body: DecisionDto,
  ): Promise<ActionDetailDto> {
    return this.decisions.byChat(execution, id, 'approve', body);
  }

  @Post(':id/reject')
  @Endpoint({
    ...DECISION,
    summary: 'Reject an action for the person',
    description: 'As the approval; with `command` the message must hold the line `/reject <reference>`.',
  })
  reject(
    @Execution() execution: ExecutionPrincipal,
    @Param() { id }: ActionParams,
    @Body() body: DecisionDto,
  ): Promise<ActionDetailDto> {
    return this.decisions.byChat(execution, id, 'reject', body);
  }

  @Post(':id/reconcile')
  @Endpoint({
    ...DECISION,
    summary: 'Say for the person what became of an action',
    description:
      'As the approval, of an action whose outcome nobody knows; with `command` the message must hold the line `/reconcile <reference> <outcome>`.',
  })
  reconcile(
    @Execution() execution: ExecutionPrincipal,
    @Param() { id }: ActionParams,
    @Body() body: ReconcileDto,
  ): Promise<ActionDetailDto> {
    return this.reconciliation.byChat(execution, id, body);
  }
}
