import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Owner, type OwnerPrincipal } from '../../kernel/auth/index.ts';
import { EdgeErrors, withIssues } from '../../kernel/errors/index.ts';
import { Endpoint } from '../../kernel/http/index.ts';
import { Idempotent, type IdempotentRequest } from '../../kernel/idempotency/index.ts';
import type { Page } from '../../kernel/pagination/index.ts';
import { OrganizationParams } from '../organizations/index.ts';
import { WebhooksService } from './endpoints/webhooks.service.ts';
import {
  CreateWebhookDto,
  UpdateWebhookDto,
  WebhookDto,
  WebhookListQuery,
  WebhookParams,
  WebhookWithSecretDto,
} from './webhook.dto.ts';
import { NOT_FOUND, WebhookErrors, WebhookIssues } from './webhook.errors.ts';

const REFUSED_URL = withIssues(
  EdgeErrors.validationFailed,
  WebhookIssues.invalidUrl,
  WebhookIssues.notHttps,
  WebhookIssues.refusedAddress,
  WebhookIssues.blockedDomain,
);

@ApiTags('webhooks')
@Controller('organizations/:organizationId/webhooks')
export class WebhooksController {
  constructor(private readonly webhooks: WebhooksService) {}

  @Get()
  @Endpoint({ summary: 'List the webhooks', auth: 'owner', scope: 'read', returns: WebhookDto, list: true })
  list(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId }: OrganizationParams,
    @Query() query: WebhookListQuery,
  ): Promise<Page<WebhookDto>> {
    return this.webhooks.list(owner, organizationId, query);
  }

  @Post()
  @Endpoint({
    summary: 'Create a webhook',
    description:
      'What happens from then on is sent to it, signed as Standard Webhooks have it, at least once. The secret is shown in this answer only. At most 20 an organization.',
    auth: 'owner',
    scope: 'settings',
    returns: WebhookWithSecretDto,
    status: 201,
    message: 'Webhook created',
    errors: [REFUSED_URL, WebhookErrors.tooMany],
    idempotencyKey: 'optional',
  })
  create(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId }: OrganizationParams,
    @Body() body: CreateWebhookDto,
    @Idempotent() request: IdempotentRequest,
  ): Promise<WebhookWithSecretDto> {
    return this.webhooks.create(owner, organizationId, body, request);
  }

  @Get(':webhookId')
  @Endpoint({ summary: 'Read a webhook', auth: 'owner', scope: 'read', returns: WebhookDto, errors: [NOT_FOUND] })
  read(@Owner() owner: OwnerPrincipal, @Param() { organizationId, webhookId }: WebhookParams): Promise<WebhookDto> {
    return this.webhooks.read(owner, organizationId, webhookId);
  }

  @Patch(':webhookId')
  @Endpoint({
    summary: 'Change a webhook',
    description:
      'Actions that are approved and not yet sent expire when URL or status change, since they were approved for what was there before.',
    auth: 'owner',
    scope: 'settings',
    returns: WebhookWithSecretDto,
    message: 'Webhook updated',
    errors: [REFUSED_URL, NOT_FOUND],
  })
  update(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId, webhookId }: WebhookParams,
    @Body() body: UpdateWebhookDto,
  ): Promise<WebhookWithSecretDto> {
    return this.webhooks.update(owner, organizationId, webhookId, body);
  }

  @Delete(':webhookId')
  @Endpoint({
    summary: 'Delete a webhook',
    description: 'Nothing is sent to it from the answer on, and its deliveries are no longer listed.',
    auth: 'owner',
    scope: 'settings',
    returns: WebhookDto,
    message: 'Webhook deleted',
    errors: [NOT_FOUND],
  })
  delete(@Owner() owner: OwnerPrincipal, @Param() { organizationId, webhookId }: WebhookParams): Promise<WebhookDto> {
    return this.webhooks.delete(owner, organizationId, webhookId);
  }
}
