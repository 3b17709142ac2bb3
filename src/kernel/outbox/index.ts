/**
 * Guarantees: an event is handled in the transaction that removes it, so its effect on the database happens once, whenever
 * a process dies; the events of one organization and kind come in the order of their ids, as far as they are committed by
 * then; an event whose handler fails does not hold up others.
 * Refuses: to drop events of a kind that this build does not know. They stay until they are forgotten by age.
 */
export { Outbox } from './outbox.ts';
export { OutboxEvent } from './outbox-event.entity.ts';
export { OutboxModule } from './outbox.module.ts';
