/**
 * Owners' addresses that are told of what happens, and that approved actions may call. Written with statements, because
 * what is delivered is claimed, counted and settled under locks.
 */
export { Webhook } from './webhook.entity.ts';
export { WebhookDelivery } from './deliveries/webhook-delivery.entity.ts';
export { WebhookSecret } from './webhook-secret.entity.ts';
export { WebhooksModule } from './webhooks.module.ts';
