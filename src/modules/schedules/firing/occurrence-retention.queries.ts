import { type Statement, statement } from '../../../kernel/database/index.ts';

/** So many schedules are looked at, and occurrences removed, at a time. */
export const RETENTION_BATCH = 1_000;

/** Schedules in the order of their keys, deleted ones too, and whether they have occurrences past their time. */
export function schedulesBehind(
  after: { readonly organizationId: string; readonly id: string },
  months: number,
): Statement<{ organizationId: string; id: string; hasOld: boolean }> {
  return statement(
    `select s.organization_id as "organizationId", s.id, exists (
       select from schedule_occurrence o
       where o.organization_id = s.organization_id and o.schedule_id = s.id and ${OLD}) as "hasOld"
     from (select organization_id, id from schedule where (organization_id, id) > ($2, $3)
       order by organization_id, id limit ${RETENTION_BATCH}) s
     order by s.organization_id, s.id`,
    months,
    after.organizationId,
    after.id,
  );
}

/** Planned, and written, so long ago. */
const OLD = `o.planned_at < clock_timestamp() - make_interval(months => $1::int)
  and o.created_at < clock_timestamp() - make_interval(months => $1::int) and o.status <> 'planned'`;

export function removeOccurrences(organizationId: string, scheduleId: string, months: number): Statement {
  return statement(
    `delete from schedule_occurrence where organization_id = $2 and id in (
       select o.id from schedule_occurrence o where o.organization_id = $2 and o.schedule_id = $3 and ${OLD}
       order by o.planned_at limit ${RETENTION_BATCH})
     returning 1`,
    months,
    organizationId,
    scheduleId,
  );
}
