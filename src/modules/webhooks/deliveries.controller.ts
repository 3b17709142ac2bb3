import { Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Owner, type OwnerPrincipal } from '../../kernel/auth/index.ts';
import { Endpoint } from '../../kernel/http/index.ts';
import { Idempotent, type IdempotentRequest } from '../../kernel/idempotency/index.ts';
import type { Page } from '../../kernel/pagination/index.ts';
import { DeliveriesService } from './deliveries/deliveries.service.ts';
import { DeliveryListQuery, DeliveryParams, WebhookDeliveryDto } from './deliveries/delivery.dto.ts';
import { WebhookParams } from './webhook.dto.ts';
import { NOT_FOUND, WebhookErrors } from './webhook.errors.ts';

@ApiTags('webhooks')
@Controller('organizations/:organizationId/webhooks/:webhookId')
export class DeliveriesController {
  constructor(private readonly deliveries: DeliveriesService) {}

  @Get('deliveries')
  @Endpoint({
    summary: 'List the deliveries of a webhook',
    description: 'What was sent to it in the last 30 days and is still to be sent, with the attempts, newest first.',
    auth: 'owner',
    scope: 'read',
    returns: WebhookDeliveryDto,
    list: true,
    errors: [NOT_FOUND],
  })
  list(
    @Owner() owner: OwnerPrincipal,
    @Param() params: WebhookParams,
    @Query() query: DeliveryListQuery,
  ): Promise<Page<WebhookDeliveryDto>> {
    return this.deliveries.list(owner, params, query);
  }

  @Post('test')
  @Endpoint({
    summary: 'Send a test to a webhook',
    description: 'Sends `webhook.test` in one attempt, also while the webhook is disabled.',
    auth: 'owner',
    scope: 'settings',
    returns: WebhookDeliveryDto,
    status: 202,
    message: 'Test on its way',
    errors: [NOT_FOUND],
    idempotencyKey: 'optional',
  })
  test(
    @Owner() owner: OwnerPrincipal,
    @Param() params: WebhookParams,
    @Idempotent() request: IdempotentRequest,
  ): Promise<WebhookDeliveryDto> {
    return this.deliveries.test(owner, params, request);
  }

  @Post('deliveries/:deliveryId/redeliver')
  @Endpoint({
    summary: 'Deliver once more',
    description: 'Sends the same id, bytes and sequence again, as a delivery of its own with all its attempts.',
    auth: 'owner',
    scope: 'settings',
    returns: WebhookDeliveryDto,
    status: 202,
    message: 'Delivery on its way',
    errors: [NOT_FOUND, WebhookErrors.disabled],
    idempotencyKey: 'optional',
  })
  redeliver(
    @Owner() owner: OwnerPrincipal,
    @Param() params: DeliveryParams,
    @Idempotent() request: IdempotentRequest,
  ): Promise<WebhookDeliveryDto> {
    return this.deliveries.redeliver(owner, params, request);
  }
}
