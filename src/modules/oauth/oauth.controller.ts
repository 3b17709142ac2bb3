import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiQuery, ApiTags } from '@nestjs/swagger';
import { ApiError, EdgeErrors } from '../../kernel/errors/index.ts';
import { Endpoint, type Page } from '../../kernel/http/index.ts';
import { Text } from '../../kernel/validation/index.ts';
import { Browser, type BrowserRequest } from './browser-request.ts';
import { clientMetadata, ClientMetadataDto } from './client-metadata.dto.ts';
import { OauthCallbacksService } from './completion/oauth-callbacks.service.ts';
import { outcomePage } from './pages/oauth-page.ts';
import { RedirectsService } from './redirects.service.ts';

class ConfirmationDto {
  @Text({ max: 200, example: 'q7…', description: 'What the button of the page carries, once' })
  token!: string;
}

const ARRIVED = {
  page: {
    message: 'What became of the authorization, or what is to be confirmed',
    ofError: ({ requestId }: { readonly requestId: string }) => outcomePage('failed', requestId),
  },
  auth: 'public',
  errors: [EdgeErrors.validationFailed],
} as const;
const CONFIRMED = { ...ARRIVED, form: true, bodyLimitBytes: 4_096 } as const;

/** Query of a callback: whatever an authorization server sends; these are looked at. */
function CallbackQuery(): MethodDecorator {
  const of = (name: string, description: string) =>
    ApiQuery({ name, required: false, description, schema: { type: 'string' } });
  return (target, key, descriptor) => {
    for (const decorate of [
      of('state', 'Names the authorization, once'),
      of('code', 'What tokens are given for'),
      of('error', 'Why there is none'),
      of('iss', 'The authorization server (RFC 9207)'),
      of('oauth_token', 'Names the authorization in OAuth 1.0a'),
      of('oauth_verifier', 'What a token is given for in OAuth 1.0a'),
      of('denied', 'The token of OAuth 1.0a where the person declined'),
    ])
      decorate(target, key, descriptor);
  };
}

@ApiTags('integrations')
@Controller('oauth')
export class OauthController {
  constructor(
    private readonly callbacks: OauthCallbacksService,
    private readonly redirects: RedirectsService,
  ) {}

  @Get('workspace/callback')
  @CallbackQuery()
  @Endpoint({ summary: 'Come back from authorizing the workspace', operationId: 'oauth.workspaceCallback', ...ARRIVED })
  workspace(@Query() _: object, @Browser() browser: BrowserRequest): Promise<Page> {
    return this.callbacks.arrive('workspace', browser);
  }

  @Post('workspace/callback')
  @Endpoint({ summary: 'Confirm the workspace', operationId: 'oauth.confirmWorkspace', ...CONFIRMED })
  confirmWorkspace(@Body() { token }: ConfirmationDto, @Browser() browser: BrowserRequest): Promise<Page> {
    return this.callbacks.confirm('workspace', token, browser);
  }

  @Get('mcp/callback')
  @CallbackQuery()
  @Endpoint({ summary: 'Come back from authorizing an MCP server', operationId: 'oauth.mcpCallback', ...ARRIVED })
  mcp(@Query() _: object, @Browser() browser: BrowserRequest): Promise<Page> {
    return this.callbacks.arrive('mcp', browser);
  }

  @Post('mcp/callback')
  @Endpoint({ summary: 'Confirm an MCP server', operationId: 'oauth.confirmMcp', ...CONFIRMED })
  confirmMcp(@Body() { token }: ConfirmationDto, @Browser() browser: BrowserRequest): Promise<Page> {
    return this.callbacks.confirm('mcp', token, browser);
  }

  @Get('client-metadata.json')
  @Endpoint({
    summary: 'Read what the service is as an OAuth client',
    description: 'Its address is the client id, at authorization servers that read such documents.',
    auth: 'public',
    document: { type: ClientMetadataDto, maxAgeSeconds: 3_600 },
    errors: [EdgeErrors.notFound],
  })
  clientMetadata(): ClientMetadataDto {
    const { clientDocument } = this.redirects;
    if (clientDocument === undefined) throw new ApiError(EdgeErrors.notFound);
    return {
      client_id: clientDocument,
      ...clientMetadata(this.redirects.to('mcp')),
      token_endpoint_auth_method: 'none',
    };
  }
}
