import { Module } from '@nestjs/common';
import { ActionsModule } from '../actions/index.ts';
import { InboxModule } from '../inbox/index.ts';
import { OrganizationsModule } from '../organizations/index.ts';
import { DeliveriesController } from './deliveries.controller.ts';
import { DeliveriesJobs } from './deliveries/deliveries.jobs.ts';
import { DeliveriesService } from './deliveries/deliveries.service.ts';
import { DeliveryRecordingService } from './deliveries/delivery-recording.service.ts';
import { DeliverySendingService } from './deliveries/delivery-sending.service.ts';
import { DeliverySettlingService } from './deliveries/delivery-settling.service.ts';
import { DeliverySignalsService } from './deliveries/delivery-signals.service.ts';
import { WebhookChangesService } from './endpoints/webhook-changes.service.ts';
import { WebhookNoticesService } from './endpoints/webhook-notices.service.ts';
import { WebhookSecretsService } from './endpoints/webhook-secrets.service.ts';
import { WebhooksService } from './endpoints/webhooks.service.ts';
import { WebhookCalls } from './webhook-calls.adapter.ts';
import { WebhooksController } from './webhooks.controller.ts';

@Module({
  imports: [OrganizationsModule, InboxModule, ActionsModule],
  controllers: [WebhooksController, DeliveriesController],
  providers: [
    WebhooksService,
    WebhookChangesService,
    WebhookSecretsService,
    WebhookNoticesService,
    WebhookCalls,
    DeliveriesService,
    DeliveryRecordingService,
    DeliverySendingService,
    DeliverySettlingService,
    DeliverySignalsService,
    DeliveriesJobs,
  ],
})
export class WebhooksModule {}
