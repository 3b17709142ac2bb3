import type { Readable } from 'node:stream';
import { Controller, Get, Headers, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Gateway, type GatewayPrincipal } from '../../../kernel/auth/index.ts';
import { EdgeErrors } from '../../../kernel/errors/index.ts';
import { BodyStream, CallerGone, Endpoint, type StreamedAnswer } from '../../../kernel/http/index.ts';
import { GitAccessService } from '../access/index.ts';
import { DiscoveryQuery, RepositoryParams } from '../git-proxy.dto.ts';
import { GitErrors } from '../git-proxy.errors.ts';
import { FETCH_REQUEST_BYTES, MEDIA } from '../git-proxy.policy.ts';
import { type GitHeaders, packingIn, versionIn } from '../git-headers.ts';
import { repositoryName } from '../repository-name.ts';
import { DiscoveriesService } from './discoveries.service.ts';
import { FetchesService } from './fetches.service.ts';
import { ENGINEERS, REFUSED } from '../git-route.ts';

@ApiTags('Internal Git')
@Controller('internal/git/integrations/:integrationId/:owner/:repository')
export class GitFetchAgentController {
  constructor(
    private readonly accesses: GitAccessService,
    private readonly discoveries: DiscoveriesService,
    private readonly fetches: FetchesService,
  ) {}

  @Get('info/refs')
  @Endpoint({
    summary: 'Discover what a repository has',
    description:
      'For git, and any other client of the smart protocol over HTTP, with the capability as bearer. What clients that push must not use is taken off: options and certificates of pushes, deletions, and packs that lean on what the host has.',
    auth: 'gateway',
    operationId: 'agent.git.discover',
    execution: ENGINEERS,
    stream: { types: Object.values(MEDIA.advertisement), message: 'What the code host advertises' },
    errors: [EdgeErrors.validationFailed, GitErrors.notFound, ...REFUSED],
  })
  async discover(
    @Gateway() gateway: GatewayPrincipal,
    @Param() { owner, repository }: RepositoryParams,
    @Query() { service }: DiscoveryQuery,
    @Headers() headers: GitHeaders,
    @CallerGone() gone: AbortSignal,
  ): Promise<StreamedAnswer> {
    const access = await this.accesses.to(gateway, service, repositoryName(owner, repository));
    return this.discoveries.discover(access, service, versionIn(headers), gone);
  }

  @Post('git-upload-pack')
  @Endpoint({
    summary: 'Fetch from a repository',
    description:
      'Bytes pass as they come in both directions, compressed ones too: a request of at most 8 MiB, an answer of at most 2 GiB and 10 minutes, with no pause of a minute. A client that leaves ends the request at the host.',
    auth: 'gateway',
    operationId: 'agent.git.fetch',
    execution: ENGINEERS,
    raw: true,
    media: MEDIA.request['git-upload-pack'],
    bodyLimitBytes: FETCH_REQUEST_BYTES,
    stream: { types: [MEDIA.result['git-upload-pack']], message: 'What the code host answers' },
    errors: [
      EdgeErrors.validationFailed,
      GitErrors.notFound,
      EdgeErrors.payloadTooLarge,
      EdgeErrors.unsupportedMediaType,
      ...REFUSED,
    ],
  })
  async fetch(
    @Gateway() gateway: GatewayPrincipal,
    @Param() { owner, repository }: RepositoryParams,
    @Headers() headers: GitHeaders,
    @BodyStream() body: Readable,
    @CallerGone() signal: AbortSignal,
  ): Promise<StreamedAnswer> {
    const access = await this.accesses.to(gateway, 'git-upload-pack', repositoryName(owner, repository));
    return this.fetches.fetch({
      access,
      body,
      contentEncoding: packingIn(headers),
      protocol: versionIn(headers),
      signal,
    });
  }
}
