import type { Readable } from 'node:stream';
import { Controller, Headers, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Gateway, type GatewayPrincipal } from '../../../kernel/auth/index.ts';
import { EdgeErrors } from '../../../kernel/errors/index.ts';
import { BodyStream, Endpoint, type StreamedAnswer } from '../../../kernel/http/index.ts';
import { GitAccessService } from '../access/index.ts';
import { type GitHeaders, packingIn } from '../git-headers.ts';
import { RepositoryParams } from '../git-proxy.dto.ts';
import { GitErrors } from '../git-proxy.errors.ts';
import { MEDIA } from '../git-proxy.policy.ts';
import { PUSHING_ENGINEERS, REFUSED } from '../git-route.ts';
import { repositoryName } from '../repository-name.ts';
import { PushesService } from './pushes.service.ts';

@ApiTags('Internal Git')
@Controller('internal/git/integrations/:integrationId/:owner/:repository')
export class GitPushAgentController {
  constructor(
    private readonly accesses: GitAccessService,
    private readonly pushes: PushesService,
  ) {}

  @Post('git-receive-pack')
  @Endpoint({
    summary: 'Push to a branch of a repository',
    description:
      'One branch, forwards, in a pack of at most 50 MiB that stands by itself. The push is verified, kept and becomes an action: what a person must approve first is answered as a refusal of the branch that names the action, and is sent to the host once it is approved, without another push. What is decided behind the first line of the request is said in the protocol, with status 200, since git shows no other.',
    auth: 'gateway',
    operationId: 'agent.git.push',
    execution: PUSHING_ENGINEERS,
    raw: true,
    media: MEDIA.request['git-receive-pack'],
    stream: { types: [MEDIA.result['git-receive-pack']], message: 'What became of the push, in the protocol' },
    errors: [
      EdgeErrors.validationFailed,
      GitErrors.notFound,
      GitErrors.packTooLarge,
      EdgeErrors.unsupportedMediaType,
      ...REFUSED,
    ],
  })
  async push(
    @Gateway() gateway: GatewayPrincipal,
    @Param() { owner, repository }: RepositoryParams,
    @Headers() headers: GitHeaders,
    @BodyStream() body: Readable,
  ): Promise<StreamedAnswer> {
    const access = await this.accesses.to(gateway, 'git-receive-pack', repositoryName(owner, repository));
    return this.pushes.take({ access, body, contentEncoding: packingIn(headers) });
  }
}
