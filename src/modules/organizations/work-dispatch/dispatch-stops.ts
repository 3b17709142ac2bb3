import type { Tx } from '../../../kernel/database/index.ts';
import { dispatchChanges } from './work-dispatch.queries.ts';

/** A time in which work dispatch was stopped; `from` is null where it was stopped before the time that was asked for. */
export interface DispatchStop {
  readonly from: string | null;
  readonly until: string;
}

/** The stops of work dispatch since an instant that have ended, as the activity log tells. */
export async function dispatchStopsSince(tx: Tx, since: string): Promise<DispatchStop[]> {
  const changes = await tx.rows(dispatchChanges(tx.organizationId, since));
  return changes.flatMap(({ verb, at }, index) =>
    verb === 'work_dispatch.resumed' ? [{ from: changes[index - 1]?.at ?? null, until: at }] : [],
  );
}
