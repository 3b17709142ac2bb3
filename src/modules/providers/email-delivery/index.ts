/**
 * Sends mail through Resend, each after a person has seen it. Guarantees: a sender is of the domains that the settings name,
 * exactly; a mail is one request with the action's id as its idempotency key; a key that may only send is a good one. Refuses:
 * attachments, blind copies, headers of one's own, scheduling, and to read what others sent.
 */
export { EmailDelivery } from './email-delivery.adapter.ts';
