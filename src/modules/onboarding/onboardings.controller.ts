import { Body, Controller, Delete, Get, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Owner, type OwnerPrincipal } from '../../kernel/auth/index.ts';
import { Endpoint } from '../../kernel/http/index.ts';
import { Idempotent, type IdempotentRequest } from '../../kernel/idempotency/index.ts';
import { CreateOrganizationShellDto, OrganizationErrors, OrganizationParams } from '../organizations/index.ts';
import { OnboardingDto } from './onboarding.dto.ts';
import { OnboardingErrors } from './onboarding.errors.ts';
import { ReviewStartService } from './review/review-start.service.ts';
import { OnboardingsService } from './shell/onboardings.service.ts';

@ApiTags('onboarding')
@Controller()
export class OnboardingsController {
  constructor(
    private readonly onboardings: OnboardingsService,
    private readonly reviews: ReviewStartService,
  ) {}

  @Post('organization-onboardings')
  @Endpoint({
    summary: 'Begin an organization as an onboarding',
    description:
      'Creates an organization without agents, to which you give material before it begins to work. Until the onboarding is completed, everything outside it can only be read, and the organization itself changed or deleted.',
    auth: 'owner',
    scope: 'settings',
    returns: OnboardingDto,
    status: 201,
    message: 'Onboarding begun',
    errors: [OrganizationErrors.slugTaken],
    family: 'request_failed',
    idempotencyKey: 'optional',
  })
  create(
    @Owner() owner: OwnerPrincipal,
    @Body() body: CreateOrganizationShellDto,
    @Idempotent() request: IdempotentRequest,
  ): Promise<OnboardingDto> {
    return this.onboardings.create(owner, body, request);
  }

  @Get('organizations/:organizationId/onboarding')
  @Endpoint({
    summary: 'Read the onboarding',
    auth: 'owner',
    scope: 'read',
    returns: OnboardingDto,
    errors: [OnboardingErrors.notFound],
    family: 'request_failed',
  })
  read(@Owner() owner: OwnerPrincipal, @Param() { organizationId }: OrganizationParams): Promise<OnboardingDto> {
    return this.onboardings.read(owner, organizationId);
  }

  @Delete('organizations/:organizationId/onboarding')
  @Endpoint({
    summary: 'Discard the onboarding',
    description:
      'Deletes the organization with all material: nobody finds it any more, its slug is free at once. Possible until the onboarding is completed.',
    auth: 'owner',
    scope: 'settings',
    returns: OnboardingDto,
    message: 'Onboarding discarded',
    errors: [OnboardingErrors.notFound, OnboardingErrors.notPermitted],
    family: 'request_failed',
  })
  discard(@Owner() owner: OwnerPrincipal, @Param() { organizationId }: OrganizationParams): Promise<OnboardingDto> {
    return this.onboardings.discard(owner, organizationId);
  }

  @Post('organizations/:organizationId/onboarding/start')
  @Endpoint({
    summary: 'Review the sources',
    description:
      'Reads the text of all sources in the background; read the onboarding until it is `review_ready` or `failed`. What was read before is not read again. While the review goes on, sources stay as they are.',
    auth: 'owner',
    scope: 'settings',
    returns: OnboardingDto,
    message: 'Review started',
    errors: [OnboardingErrors.notFound, OnboardingErrors.notPermitted, OnboardingErrors.withoutSource],
    family: 'request_failed',
    idempotencyKey: 'optional',
  })
  start(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId }: OrganizationParams,
    @Idempotent() request: IdempotentRequest,
  ): Promise<OnboardingDto> {
    return this.reviews.start(owner, organizationId, request);
  }
}
