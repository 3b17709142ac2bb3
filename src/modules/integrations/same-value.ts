import { canonicalText } from '../../kernel/crypto/index.ts';

/** Whether two JSON values are the same; what comes from the database has its keys in another order. */
export function isSame(one: unknown, other: unknown): boolean {
  return canonicalText(one) === canonicalText(other);
}
