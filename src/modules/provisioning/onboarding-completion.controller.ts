import { Body, Controller, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Owner, type OwnerPrincipal } from '../../kernel/auth/index.ts';
import { withIssues } from '../../kernel/errors/index.ts';
import { Endpoint } from '../../kernel/http/index.ts';
import { Idempotent, type IdempotentRequest } from '../../kernel/idempotency/index.ts';
import { CatalogErrors } from '../agent-profiles/index.ts';
import {
  CompletedOnboardingDto,
  CompleteOnboardingDto,
  OnboardingErrors,
  OnboardingIssues,
} from '../onboarding/index.ts';
import { OrganizationParams } from '../organizations/index.ts';
import { ActivationService } from './activation.service.ts';

@ApiTags('onboarding')
@Controller('organizations/:organizationId/onboarding')
export class OnboardingCompletionController {
  constructor(private readonly activation: ActivationService) {}

  @Post('complete')
  @Endpoint({
    operationId: 'onboardings.complete',
    summary: 'Complete the onboarding',
    description:
      'Makes the organization active, all or nothing: its agent profiles, a chat, and the sources as knowledge that agents find. Name the review that you read; a repeat with the same one is answered alike.',
    auth: 'owner',
    scope: 'settings',
    returns: CompletedOnboardingDto,
    message: 'Onboarding completed',
    errors: [
      OnboardingErrors.notFound,
      OnboardingErrors.notPermitted,
      withIssues(OnboardingErrors.reviewStale, OnboardingIssues.reviewStale),
      withIssues(OnboardingErrors.warningsNotAllowed, OnboardingIssues.warningsNotAllowed),
      CatalogErrors.unpublished,
    ],
    family: 'request_failed',
    idempotencyKey: 'optional',
  })
  complete(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId }: OrganizationParams,
    @Body() body: CompleteOnboardingDto,
    @Idempotent() request: IdempotentRequest,
  ): Promise<CompletedOnboardingDto> {
    return this.activation.complete(owner, organizationId, body, request);
  }
}
