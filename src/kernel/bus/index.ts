/**
 * Guarantees: a message reaches every process that listens, without a database commit of the publisher's waiting for it.
 * Refuses: being relied on: a message may be lost, and each subscriber is told when one may have been.
 */
export { Bus } from './bus.ts';
export { BusModule } from './bus.module.ts';
