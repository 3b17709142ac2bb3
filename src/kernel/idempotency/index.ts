/**
 * Guarantees: work under one key is done once, however often it is asked for and wherever a process dies; a repeat gets the
 * first answer's data.
 * Refuses: the same key with other details, and storing secrets for a replay.
 */
export { IdempotencyKey } from './idempotency-key.entity.ts';
export { IdempotencyModule } from './idempotency.module.ts';
export { Idempotency, type IdempotentRequest } from './idempotency.ts';
export { Idempotent } from './idempotent.decorator.ts';
