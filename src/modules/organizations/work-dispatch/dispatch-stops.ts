import { statement, type Tx } from '../../../kernel/database/index.ts';

/** A time in which work dispatch was stopped; null is before what was asked for. */
export interface DispatchStop {
  readonly from: string | null;
  readonly until: string;
}

/** When work dispatch of an organization was stopped and is no more, since an instant, as the activity log tells. */
export async function dispatchStopsSince(tx: Tx, organizationId: string, since: string): Promise<DispatchStop[]> {
  const events = await tx.rows(
    statement<{ verb: string; at: string }>(
      `select verb, at from activity
       where organization_id = $1 and at >= $2 and verb in ('work_dispatch.stopped', 'work_dispatch.resumed')
       order by at, id`,
      organizationId,
      since,
    ),
  );
  return events.flatMap(({ verb, at }, index) =>
    verb === 'work_dispatch.resumed' ? [{ from: events[index - 1]?.at ?? null, until: at }] : [],
  );
}
