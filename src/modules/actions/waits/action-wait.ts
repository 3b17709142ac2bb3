import type { WaitableAction } from './action-waits.queries.ts';

/** What a run that wants to wait for actions may do. */
export type ActionWait =
  | { readonly kind: 'blocked'; readonly actionIds: readonly string[] }
  | { readonly kind: 'resolved' }
  /** Places among the named ones. */
  | { readonly kind: 'unknown' | 'stale'; readonly places: readonly number[] }
  /** Unresolved ones that are not named. */
  | { readonly kind: 'unnamed'; readonly actionIds: readonly string[] };

/**
 * Decides a wait: each named action is one of the task's, that this run proposed as things are now or an earlier one left
 * unresolved, and no unresolved one of the task is left out.
 */
export function actionWait(named: readonly string[], actions: readonly WaitableAction[]): ActionWait {
  const known = new Map(actions.map((action) => [action.id, action]));
  const unknown = placesOf(named, (id) => !known.has(id));
  if (unknown.length > 0) return { kind: 'unknown', places: unknown };
  const stale = placesOf(named, (id) => !known.get(id)!.isProposed && !known.get(id)!.isLeft);
  if (stale.length > 0) return { kind: 'stale', places: stale };
  const open = actions.filter(({ isUnresolved }) => isUnresolved).map(({ id }) => id);
  const unnamed = open.filter((id) => !named.includes(id));
  if (unnamed.length > 0) return { kind: 'unnamed', actionIds: unnamed };
  return open.length > 0 ? { kind: 'blocked', actionIds: open } : { kind: 'resolved' };
}

function placesOf(named: readonly string[], which: (id: string) => boolean): number[] {
  return named.flatMap((id, place) => (which(id) ? [place] : []));
}
