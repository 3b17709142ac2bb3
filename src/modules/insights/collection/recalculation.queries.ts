import { sql, type Statement } from '../../../kernel/database/index.ts';
import type { Dataset } from '../definitions/index.ts';

/** Says that definitions of a dataset whose reads or days changed are being read anew. */
export function beginRecalculation(organizationId: string, dataset: Dataset): Statement {
  return sql`
    with begun as materialized (
      select d.key, d.version, jsonb_set(d.recalculation, '{status}', '"running"') as recalculation
      from metric_definition d
      where d.organization_id = ${organizationId} and d.current and d.body->>'dataset' = ${dataset}
        and d.recalculation->>'status' = 'pending' for no key update)
    update metric_definition d set recalculation = b.recalculation from begun b
    where d.organization_id = ${organizationId} and d.key = b.key and d.version = b.version`;
}

/** Says that definitions of a dataset are current, once each source that is collected has its whole history in their days. */
export function endRecalculation(organizationId: string, dataset: Dataset): Statement {
  const organization = sql.value(organizationId);
  return sql`
    with done as materialized (
      select d.key, d.version, jsonb_build_object('status', 'current', 'reason', null) as recalculation
      from metric_definition d
      where d.organization_id = ${organization} and d.current and d.body->>'dataset' = ${dataset}
        and d.recalculation->>'status' = 'running'
        and not exists (
          select from metric_source s join metric_read r on r.organization_id = ${organization} and r.source_id = s.id
          where s.organization_id = ${organization} and s.dataset = ${dataset} and s.due_at is not null
            and (r.progress->>'backfilled' <> 'true'
              or r.timezone <> coalesce(d.body->>'reportingTimezone', r.timezone)))
      for no key update)
    update metric_definition d set recalculation = n.recalculation from done n
    where d.organization_id = ${organization} and d.key = n.key and d.version = n.version`;
}
