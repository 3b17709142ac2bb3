/**
 * Guarantees: a message reaches every process that listens, and no database commit of the publisher waits for it.
 * Refuses: to be relied on. A message may be lost, and each subscriber is told when one may have been.
 */
export { Bus } from './bus.ts';
export { BusModule } from './bus.module.ts';
export { CoalescedWork } from './coalesced-work.ts';
