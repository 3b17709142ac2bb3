/**
 * Guarantees: text without what nobody sees or the database cannot hold, in passages of at most 2,000 characters, at
 * most 400,000 in all.
 * Refuses: to hold more of a source than that, however long it goes on.
 */
export { oneLine } from './cleaning.ts';
export { LIMITS } from './limits.ts';
export { passagesOf } from './passages.ts';
export { FullError, TextCollector } from './text-collector.ts';
export { UnreadableError } from './unreadable.ts';
export { WARNING_CODES, type WarningCode } from './warning-codes.ts';
