import { ApiError, type ErrorRow } from '../../../kernel/errors/index.ts';
import type { Prepared, Sent } from '../../actions/index.ts';
import { unprepared } from '../../gateway/index.ts';
import { GitErrors } from '../git-proxy.errors.ts';
import { HostFailure } from '../host/index.ts';
import { BrokenFraming } from '../protocol/index.ts';
import { uncertain } from './push-verdict.ts';

/** What a failed look at the host means, behind which nothing was sent; undefined of a fault of ours. */
export function failedLook(error: unknown): Exclude<Prepared<never>, { kind: 'ready' | 'done' }> | undefined {
  const isLater =
    error instanceof HostFailure ||
    error instanceof BrokenFraming ||
    (error instanceof ApiError && error.row === GitErrors.unavailable);
  if (isLater) return { kind: 'later', reason: error.message };
  const code = error instanceof ApiError ? CODES.get(error.row) : undefined;
  if (code !== undefined) return { kind: 'refused', error: { code, message: (error as Error).message } };
  return unprepared(error);
}

const CODES: ReadonlyMap<ErrorRow, string> = new Map<ErrorRow, string>([
  [GitErrors.credentialRefused, 'credential_refused'],
  [GitErrors.notFound, 'not_found'],
  [GitErrors.moved, 'repository_moved'],
]);

export const DAMAGED = {
  code: 'payload_damaged',
  message: 'The stored pack is gone, or is not the one that was approved; push again.',
};
export const NOT_KEPT: Sent = { outcome: 'not_executed', error: DAMAGED };
export const MOVED = {
  code: 'ref_moved',
  message: 'The branch no longer stands where the push begins, so nothing was sent; fetch, merge and push again.',
};
export const OTHER_OBJECTS = { code: 'other_objects', message: GitErrors.otherObjects.message };
export const CHANGED = {
  code: 'changed_meanwhile',
  message: 'The connector changed while the push was prepared, so nothing was sent; push again.',
};
export const NOT_REACHED: Sent = {
  outcome: 'not_executed',
  error: { code: 'unavailable', message: 'The code host was not reached, so nothing was sent.' },
};
export const NO_ANSWER = uncertain('no_answer', 'The connection broke before the code host had answered.');
export const NOT_APPLIED = {
  code: 'not_applied',
  message: 'Ten minutes later the branch still stood where it was; the push did not arrive.',
};
