import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Gateway, type GatewayPrincipal } from '../../../kernel/auth/index.ts';
import { EdgeErrors } from '../../../kernel/errors/index.ts';
import { type Accepted, CallerGone, Endpoint } from '../../../kernel/http/index.ts';
import { ActionErrors } from '../../actions/index.ts';
import { GatewayErrors } from '../gateway.errors.ts';
import { REFUSALS } from '../use-refusals.ts';
import { GatewayCallsService } from './gateway-calls.service.ts';
import { CallToolDto, GatewayToolsDto, ToolCallDto, ToolParams, ToolsQuery } from './gateway.dto.ts';
import { OfferedToolsService } from './offered-tools.service.ts';

@ApiTags('Internal Agent')
@Controller('internal/gateway/integrations/:integrationId/tools')
export class GatewayAgentController {
  constructor(
    private readonly tools: OfferedToolsService,
    private readonly calls: GatewayCallsService,
  ) {}

  @Get()
  @Endpoint({
    summary: 'List the tools of a connector',
    description: 'Those that this execution may call, as they were listed last; the provider is not asked.',
    auth: 'gateway',
    returns: GatewayToolsDto,
    errors: [REFUSALS],
  })
  list(@Gateway() gateway: GatewayPrincipal, @Query() { name }: ToolsQuery): Promise<GatewayToolsDto> {
    return this.tools.list(gateway, name);
  }

  @Post(':toolName/call')
  @Endpoint({
    summary: 'Call a tool of a connector',
    description:
      'A tool that reads is called now; what the provider says, its failures too, is the answer. A tool that writes is proposed as an action, at most once for the same key: where nobody has to approve it, the call waits up to 60 s for its end, and the answer is 200; otherwise it is 202, and the run ends in an `action_wait`. At most 60 calls of a tool in a minute.',
    auth: 'gateway',
    scope: 'work',
    returns: ToolCallDto,
    message: 'Tool called',
    accepted: 'The action waits',
    errors: [EdgeErrors.validationFailed, GatewayErrors.toolNotFound, REFUSALS, ActionErrors.budgetExhausted],
  })
  call(
    @Gateway() gateway: GatewayPrincipal,
    @Param() { toolName }: ToolParams,
    @Body() body: CallToolDto,
    @CallerGone() gone: AbortSignal,
  ): Promise<ToolCallDto | Accepted<ToolCallDto>> {
    return this.calls.call(gateway, toolName, body, gone);
  }
}
