import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Owner, type OwnerPrincipal } from '../../kernel/auth/index.ts';
import { EdgeErrors } from '../../kernel/errors/index.ts';
import { Endpoint } from '../../kernel/http/index.ts';
import { Idempotent, type IdempotentRequest } from '../../kernel/idempotency/index.ts';
import { CatalogErrors } from '../agent-profiles/index.ts';
import { CreateOrganizationDto } from '../organizations/index.ts';
import { CreatedOrganizationDto } from './provisioning.dto.ts';
import { ProvisioningService } from './provisioning.service.ts';

@ApiTags('organizations')
@Controller('organizations')
export class ProvisioningController {
  constructor(private readonly provisioning: ProvisioningService) {}

  @Post()
  @Endpoint({
    operationId: 'organizations.create',
    summary: 'Create an organization',
    description:
      'Creates an active organization with its agent profiles and a chat, all or nothing. Keep key and body until you have an answer: a repeat with the same key and company details gets the same organization, for 30 days.',
    auth: 'owner',
    scope: 'settings',
    returns: CreatedOrganizationDto,
    status: 201,
    message: 'Organization created',
    errors: [EdgeErrors.stateConflict, CatalogErrors.unpublished],
    family: 'request_failed',
    idempotencyKey: 'required',
  })
  create(
    @Owner() owner: OwnerPrincipal,
    @Body() body: CreateOrganizationDto,
    @Idempotent() request: IdempotentRequest,
  ): Promise<CreatedOrganizationDto> {
    return this.provisioning.create(owner, body, request);
  }
}
