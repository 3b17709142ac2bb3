import { sql, type Statement } from '../../../kernel/database/index.ts';

export interface DispatchChange {
  readonly verb: string;
  readonly at: string;
}

/** When work dispatch of an organization was stopped and resumed since an instant, as the activity log tells. */
export function dispatchChanges(organizationId: string, since: string): Statement<DispatchChange> {
  return sql`
    select verb, at from activity
    where organization_id = ${organizationId} and at >= ${since}
      and verb in ('work_dispatch.stopped', 'work_dispatch.resumed')
    order by at, id`;
}
