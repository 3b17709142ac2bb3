import type { Readable } from 'node:stream';
import { Controller, Delete, Get, Param, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Caller, type ExecutionPrincipal, Owner, type OwnerPrincipal } from '../../kernel/auth/index.ts';
import { EdgeIssues, withIssues } from '../../kernel/errors/index.ts';
import { BodyStream, type ByteAnswer, Endpoint } from '../../kernel/http/index.ts';
import { SourceDto, SourceParams, StoreSourceQuery } from './onboarding.dto.ts';
import { OnboardingErrors, OnboardingIssues } from './onboarding.errors.ts';
import { SOURCES } from './onboarding.policy.ts';
import { SourceUploadsService } from './sources/source-uploads.service.ts';
import { SourcesService } from './sources/sources.service.ts';

@ApiTags('onboarding')
@Controller('organizations/:organizationId/onboarding/sources/:sourceId')
export class SourcesController {
  constructor(
    private readonly sources: SourcesService,
    private readonly uploads: SourceUploadsService,
  ) {}

  @Put()
  @Endpoint({
    summary: 'Store a source',
    description:
      'Choose the id yourself. A source has at most 50 MiB; an onboarding has at most 50 sources of 500 MiB in all. Another file under the same id replaces the one before; a repeat with the same id and file changes nothing, unless the bytes that are stored are damaged: then these take their place. A change takes the onboarding back to `draft`; while it is reviewed only repeats are accepted.',
    auth: 'owner',
    scope: 'settings',
    raw: true,
    bodyLimitBytes: SOURCES.mostBytesOfOne,
    returns: SourceDto,
    status: 201,
    message: 'Source stored',
    errors: [
      OnboardingErrors.notFound,
      OnboardingErrors.notPermitted,
      withIssues(OnboardingErrors.tooManySources, OnboardingIssues.tooManySources),
      OnboardingErrors.tooLarge,
      withIssues(OnboardingErrors.unsupported, EdgeIssues.mediaTypeNotAccepted),
    ],
    family: 'request_failed',
  })
  store(
    @Owner() owner: OwnerPrincipal,
    @Param() source: SourceParams,
    @Query() query: StoreSourceQuery,
    @BodyStream() body: Readable,
  ): Promise<SourceDto> {
    return this.uploads.store(owner, source, query, body);
  }

  @Delete()
  @Endpoint({
    summary: 'Delete a source',
    description: 'Takes the onboarding back to `draft`.',
    auth: 'owner',
    scope: 'settings',
    returns: SourceDto,
    message: 'Source deleted',
    errors: [OnboardingErrors.notFound, OnboardingErrors.sourceNotFound, OnboardingErrors.notPermitted],
    family: 'request_failed',
  })
  delete(@Owner() owner: OwnerPrincipal, @Param() source: SourceParams): Promise<SourceDto> {
    return this.sources.delete(owner, source);
  }

  @Get('content')
  @Endpoint({
    summary: 'Download a source',
    description:
      'Permitted to owners, to executions of operator and chat, and to those of a department where the source is this department’s or the whole organization’s; others get 404. Sent as a download of type `application/octet-stream`, whatever its media type.',
    auth: ['owner', 'execution'],
    scope: 'read',
    bytes: true,
    errors: [OnboardingErrors.sourceNotFound, OnboardingErrors.bytesDamaged],
    family: 'request_failed',
  })
  content(@Caller() caller: OwnerPrincipal | ExecutionPrincipal, @Param() source: SourceParams): Promise<ByteAnswer> {
    return this.sources.open(caller, source);
  }
}
