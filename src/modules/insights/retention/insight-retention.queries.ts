import { sql, type Statement } from '../../../kernel/database/index.ts';

/** How long what another publication superseded can still be read by whoever pinned it before. */
const SUPERSEDED = sql`interval '7 days'`;
/** Twelve months can be asked for, and a year later what became of the answer. */
const KEPT = sql`interval '25 months'`;
const COLLECTIONS = sql`interval '90 days'`;
/** A collection that nobody continued by then is over. */
const LEFT = sql`interval '1 day'`;

/** Organizations that have figures, in the order of their ids. */
export function organizationsWithFigures(after: string, limit: number): Statement<{ readonly id: string }> {
  return sql`
    select s.organization_id as id from insight_state s where s.organization_id > ${after}
    order by s.organization_id limit ${limit}`;
}

/** Removes what is past its time of one organization; what hangs on something goes before it. */
export function removeOldFigures(organizationId: string): readonly Statement[] {
  const organization = sql.value(organizationId);
  const horizon = sql`
    with horizon as materialized (
      select max(p.revision) as revision from metric_publication p
      where p.organization_id = ${organization} and p.at < clock_timestamp() - ${SUPERSEDED})`;
  return [
    sql`
    ${horizon}
    delete from metric_block b using horizon h where b.organization_id = ${organization} and b.to_revision <= h.revision`,
    sql`
    ${horizon}
    delete from metric_coverage c using horizon h
    where c.organization_id = ${organization} and c.to_revision <= h.revision`,
    sql`
    delete from metric_restatement r where r.organization_id = ${organization} and r.at < clock_timestamp() - ${KEPT}`,
    sql`
    delete from metric_receipt r
    where r.organization_id = ${organization} and r.created_at < clock_timestamp() - ${KEPT}`,
    sql`
    delete from metric_publication p where p.organization_id = ${organization} and p.at < clock_timestamp() - ${KEPT}`,
    sql`
    with left_lying as materialized (
      select c.id from metric_collection c
      where c.organization_id = ${organization} and c.status = 'running' and c.started_at < clock_timestamp() - ${LEFT})
    delete from metric_staged s using left_lying l
    where s.organization_id = ${organization} and s.collection_id = l.id`,
    sql`
    with left_lying as materialized (
      select c.id, clock_timestamp() as now from metric_collection c
      where c.organization_id = ${organization} and c.status = 'running'
        and c.started_at < clock_timestamp() - ${LEFT} for no key update)
    update metric_collection c set status = 'abandoned', ended_at = l.now from left_lying l
    where c.organization_id = ${organization} and c.id = l.id`,
    sql`
    delete from metric_collection c
    where c.organization_id = ${organization} and c.ended_at < clock_timestamp() - ${COLLECTIONS}`,
  ];
}
