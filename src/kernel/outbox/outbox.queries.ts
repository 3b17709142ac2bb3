import { sql, type Statement } from '../database/index.ts';

export interface OutboxRow {
  readonly id: string;
  readonly payload: unknown;
  readonly recordedAt: string;
}

/**
 * Organizations with events of these kinds, from one on, in the order of their ids. Steps from organization to organization
 * through the primary key, however many events one has.
 */
export function organizationsWithEvents(
  kinds: readonly string[],
  behind: string | null,
  limit: number,
): Statement<{ organizationId: string }> {
  const known = sql.value(kinds);
  return sql`
    with recursive waiting as (
      (select e.organization_id from outbox_event e
       where e.organization_id > coalesce(${behind}::uuid, '00000000-0000-0000-0000-000000000000')
         and e.kind = any(${known}::text[])
       order by e.organization_id limit 1)
      union all
      select (select e.organization_id from outbox_event e
              where e.organization_id > w.organization_id and e.kind = any(${known}::text[])
              order by e.organization_id limit 1)
      from waiting w where w.organization_id is not null)
    select w.organization_id as "organizationId" from waiting w where w.organization_id is not null limit ${limit}`;
}

/**
 * Takes the oldest event of a kind that nobody else handles, past some; gone with the transaction's commit. Ids are made in
 * the order of time, so the primary key is that order too.
 */
export function takeEvent(organizationId: string, kind: string, past: readonly string[]): Statement<OutboxRow> {
  const organization = sql.value(organizationId);
  const ofKind = sql.value(kind);
  return sql`
    with oldest as materialized (
      select e.id, e.payload, e.recorded_at from outbox_event e
      where e.organization_id = ${organization} and e.kind = ${ofKind} and e.id <> all(${past}::uuid[])
      order by e.id limit 1 for update skip locked),
    taken as (
      delete from outbox_event e using oldest
      where e.organization_id = ${organization} and e.kind = ${ofKind} and e.id = oldest.id)
    select o.id, o.payload, o.recorded_at as "recordedAt" from oldest o`;
}

/** Records an event of a kind that no entry of the activity log stands for. */
export function insertEvent(organizationId: string, id: string, kind: string, payload: object): Statement {
  return sql`
    insert into outbox_event (organization_id, id, kind, payload, recorded_at)
    values (${organizationId}, ${id}, ${kind}, ${JSON.stringify(payload)}::jsonb, clock_timestamp())`;
}

/** Removes events that were recorded days ago, one remover at a time; answers a row for each. */
export function forgetEvents(days: number, limit: number): Statement {
  return sql`
    with old as materialized (
      select e.organization_id, e.kind, e.id from outbox_event e
      where e.recorded_at < clock_timestamp() - make_interval(days => ${days}::int)
      order by e.recorded_at limit ${limit} for update skip locked)
    delete from outbox_event e using old
    where e.organization_id = old.organization_id and e.kind = old.kind and e.id = old.id
    returning 1`;
}
