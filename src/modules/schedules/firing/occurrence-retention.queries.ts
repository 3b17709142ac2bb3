import { sql, type Sql, type Statement } from '../../../kernel/database/index.ts';

/** How many schedules one look visits, and how many occurrences one transaction removes. */
export const RETENTION_LIMIT = 1_000;
const BATCH = sql.raw(String(RETENTION_LIMIT));

/** Condition of an occurrence aliased `o` that was both planned and written longer ago than its time. */
function isOld(months: number): Sql {
  const age = sql.value(months);
  return sql`o.planned_at < clock_timestamp() - make_interval(months => ${age}::int)
        and o.created_at < clock_timestamp() - make_interval(months => ${age}::int) and o.status <> 'planned'`;
}

/** Schedules in the order of their keys, deleted ones too, and whether they have occurrences past their time. */
export function schedulesBehind(
  after: { readonly organizationId: string; readonly id: string },
  months: number,
): Statement<{ organizationId: string; id: string; hasOld: boolean }> {
  return sql`
    select s.organization_id as "organizationId", s.id, exists (
      select from schedule_occurrence o
      where o.organization_id = s.organization_id and o.schedule_id = s.id and ${isOld(months)}) as "hasOld"
    from (select organization_id, id from schedule where (organization_id, id) > (${after.organizationId}, ${after.id})
      order by organization_id, id limit ${BATCH}) s
    order by s.organization_id, s.id`;
}

export function removeOccurrences(organizationId: string, scheduleId: string, months: number): Statement {
  const organization = sql.value(organizationId);
  return sql`
    delete from schedule_occurrence where organization_id = ${organization} and id in (
      select o.id from schedule_occurrence o
      where o.organization_id = ${organization} and o.schedule_id = ${scheduleId} and ${isOld(months)}
      order by o.planned_at limit ${BATCH})
    returning 1`;
}
