import type { ExecutionPrincipal } from '../../kernel/auth/index.ts';
import { type Sql, sql } from '../../kernel/database/index.ts';
import type { ConnectorStanding } from './connector-standings.port.ts';

/** Who reads, and how connectors stand for them: what every condition on records is made of. */
export interface Audience {
  /** Owners read everything. */
  readonly readsAll: boolean;
  /** Null for operator and chat, who read what is of any department. */
  readonly department: string | null;
  readonly usableKeys: readonly string[];
  /** The present stamps of sources, by the connectors' keys. */
  readonly stamps: Readonly<Record<string, string | null>>;
}

export function audienceOfOwner(standings: readonly ConnectorStanding[]): Audience {
  return { readsAll: true, department: null, usableKeys: [], stamps: stampsOf(standings) };
}

export function audienceOf({ department }: ExecutionPrincipal, standings: readonly ConnectorStanding[]): Audience {
  const usableKeys = standings.filter(({ usable }) => usable).map(({ key }) => key);
  return { readsAll: false, department, usableKeys, stamps: stampsOf(standings) };
}

function stampsOf(standings: readonly ConnectorStanding[]): Record<string, string | null> {
  return Object.fromEntries(standings.map(({ key, sourceStamp }) => [key, sourceStamp]));
}

/**
 * Whether a record may be read: the one condition of all ways to one. `search_knowledge` and `similar_knowledge` have it
 * too, over the copies that passages hold.
 */
export function mayRead({ readsAll, department, usableKeys }: Audience, alias: string): Sql {
  if (readsAll) return sql`true`;
  const k = sql.raw(alias);
  return sql`(${k}.revoked_at is null
    and (${k}.visibility <> 'department' or ${sql.value(department)}::text is null or ${k}.department = ${sql.value(department)}::text)
    and ${k}.required_connector_keys <@ ${sql.value([...usableKeys])}::text[])`;
}

/** How fresh a record is, in SQL. */
export function freshnessOf({ stamps }: Audience, alias: string): Sql {
  const k = sql.raw(alias);
  return sql`case
    when ${k}.revoked_at is not null then 'revoked'
    when ${k}.superseded_by is not null then 'superseded'
    when ${k}.valid_until <= clock_timestamp() then 'expired'
    when not ${k}.stamps <@ ${sql.value(JSON.stringify(stamps))}::jsonb then 'source_changed'
    else 'current' end`;
}
