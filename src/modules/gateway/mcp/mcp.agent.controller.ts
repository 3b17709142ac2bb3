import { Controller, Headers, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Gateway, type GatewayPrincipal } from '../../../kernel/auth/index.ts';
import { EdgeErrors } from '../../../kernel/errors/index.ts';
import { CallerGone, Endpoint, type JsonRpcAnswer, RawBody } from '../../../kernel/http/index.ts';
import { GatewayErrors } from '../gateway.errors.ts';
import { REFUSALS } from '../use-refusals.ts';
import { McpService } from './mcp.service.ts';

@ApiTags('Internal Agent')
@Controller('internal/gateway/integrations/:integrationId/mcp')
export class McpAgentController {
  constructor(private readonly mcp: McpService) {}

  @Post()
  @Endpoint({
    summary: 'Use a connector by the Model Context Protocol',
    description:
      'For any MCP client, with the capability as bearer: revision 2026-07-28, and those from 2025-03-26 on by `initialize`, without state between requests. `tools/list` and `tools/call`, as the routes of the gateway have them; answers are JSON whatever `Accept` says, a body is one message, and notifications are 202. There is no stream to open and no session to end: `GET` and `DELETE` are 405. A write that waits for a person is a result with `isError` that names the action.',
    auth: 'gateway',
    scope: 'work',
    operationId: 'agent.gateway.mcp',
    jsonRpc: {
      request: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_orders', arguments: {} } },
      response: { jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: '2 orders' }], isError: false } },
    },
    errors: [GatewayErrors.foreignOrigin, EdgeErrors.payloadTooLarge, EdgeErrors.unsupportedMediaType, REFUSALS],
  })
  answer(
    @Gateway() gateway: GatewayPrincipal,
    @Headers() headers: Readonly<Record<string, string | undefined>>,
    @RawBody() message: unknown,
    @CallerGone() gone: AbortSignal,
  ): Promise<JsonRpcAnswer> {
    return this.mcp.answer(gateway, headers, message, gone);
  }
}
