import type { Principal } from '../../../kernel/auth/index.ts';
import { type Sql, sql, type Statement, withAfterCommit } from '../../../kernel/database/index.ts';
import { newId } from '../../../kernel/ids/index.ts';
import type { ActivityVerb } from './activity-verb.ts';
import { logEvent } from './domain-event.ts';

/** Who did something: a caller, or the backend itself. */
export type Actor =
  | Principal
  | { readonly kind: 'agent'; readonly id: string; readonly name: string }
  | { readonly kind: 'system'; readonly name: string };

export interface ActivityEntry {
  readonly organizationId: string;
  readonly actor: Actor;
  readonly verb: ActivityVerb;
  readonly subject: { readonly kind: string; readonly id: string; readonly label: string };
  /** Small, without secrets and without texts of people, since the log line has them too. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** What only the log line says, for operators. */
  readonly facts?: Readonly<Record<string, unknown>>;
}

/** An entry for a statement: of each value itself, or its SQL. */
export interface EntrySql {
  readonly organizationId: string | Sql;
  readonly id: string | Sql;
  /** Now, unless given: for entries that share the time of their change. */
  readonly at?: Sql;
  readonly actor: { readonly kind: string | Sql; readonly id: string | Sql; readonly name: string | Sql };
  readonly verb: ActivityVerb | Sql;
  readonly subject: { readonly kind: string | Sql; readonly id: string | Sql; readonly label: string | Sql };
  /** Of type jsonb; empty unless given. */
  readonly details?: Sql;
}

const COLUMNS = sql`organization_id, id, at, actor_kind, actor_id, actor_name, verb, subject_kind, subject_id, subject_label,
  details`;

/**
 * Writes entries into the activity log: one, or one for each row of `from`. Every statement that writes the log is made
 * here, except the administrator's counted row, which the kernel writes on the way into an organization (`enterCounted`):
 * it counts up instead of appending, and the kernel knows no module.
 *
 * A statement that writes entries of rows tells the log of them itself, by `withAfterCommit` and `logEvent`.
 */
export function insertActivity(entry: EntrySql, from?: Sql): Sql {
  const { organizationId, id, at = sql`clock_timestamp()`, actor, verb, subject, details = sql`'{}'::jsonb` } = entry;
  const row = sql`${organizationId}, ${id}, ${at}, ${actor.kind}, ${actor.id}, ${actor.name}, ${verb}, ${subject.kind},
    ${subject.id}, ${subject.label}, ${details}`;
  return from === undefined
    ? sql`insert into activity (${COLUMNS}) values (${row})`
    : sql`insert into activity (${COLUMNS}) select ${row} from ${from}`;
}

/** What an outbox handler is told of an entry. */
export interface HeardEntry {
  readonly verb: string;
  readonly actor: { readonly kind: string; readonly id: string; readonly name: string };
  readonly subject: { readonly kind: string; readonly id: string; readonly label: string };
  readonly details: Readonly<Record<string, unknown>>;
}

/** An entry of each row of a relation. */
export interface EntriesOfRows {
  readonly entry: EntrySql;
  /** The relation with its alias and joins, and no condition behind. */
  readonly rows: Sql;
}

const OUTBOX_COLUMNS = sql`organization_id, id, kind, payload, recorded_at`;

/**
 * Hands the entries of rows to those who subscribed to their verbs, beside `insertActivity` of the same: a look-up by key
 * where nobody did. Answers a row for each event.
 */
export function insertHeard({ entry, rows }: EntriesOfRows): Sql {
  const { organizationId, id, at = sql`clock_timestamp()`, actor, verb, subject, details = sql`'{}'::jsonb` } = entry;
  return sql`
    insert into outbox_event (${OUTBOX_COLUMNS})
    select ${organizationId}, ${id}, heard.kind, jsonb_build_object('verb', ${verb}::text,
      'actor', jsonb_build_object('kind', ${actor.kind}::text, 'id', ${actor.id}::text, 'name', ${actor.name}::text),
      'subject', jsonb_build_object('kind', ${subject.kind}::text, 'id', ${subject.id}::text,
        'label', ${subject.label}::text),
      'details', ${details}), ${at}
    from ${rows}
    join activity_subscription heard on heard.organization_id = ${organizationId} and ${verb} = any(heard.verbs)
    returning 1`;
}

/**
 * The statements of an entry, for whoever sends them together with the change: the commit of the first writes the log line
 * too, the second hands the entry to those who subscribed to its verb and answers a row for each.
 */
export function activityEntry(entry: ActivityEntry): readonly [Statement, Statement] {
  const { organizationId, verb, subject, details = {}, facts = {} } = entry;
  const id = newId();
  const actor = actorColumns(entry.actor);
  const inserted = insertActivity({
    organizationId,
    id,
    actor,
    verb,
    subject,
    details: sql`${JSON.stringify(details)}::jsonb`,
  });
  const payload: HeardEntry = { verb, actor, subject, details };
  const organization = sql.value(organizationId);
  const heard = sql`
    insert into outbox_event (${OUTBOX_COLUMNS})
    select ${organization}, ${id}, s.kind, ${JSON.stringify(payload)}::jsonb, clock_timestamp()
    from activity_subscription s where s.organization_id = ${organization} and ${verb} = any(s.verbs)
    returning 1`;
  return [
    withAfterCommit(inserted, () =>
      logEvent({ organizationId, verb, actor, subject, facts: { ...details, ...facts } }),
    ),
    heard,
  ];
}

/** Lets an outbox handler hear of entries with these verbs from now on, and of no others. */
export function setSubscription(organizationId: string, kind: string, verbs: readonly string[]): Statement {
  const organization = sql.value(organizationId);
  if (verbs.length === 0)
    return sql`delete from activity_subscription s where s.organization_id = ${organization} and s.kind = ${kind}`;
  return sql`
    insert into activity_subscription (organization_id, kind, verbs)
    values (${organization}, ${kind}, ${verbs}::text[])
    on conflict (organization_id, kind) do update set verbs = excluded.verbs`;
}

/** The columns of an actor, for entries that a statement makes from rows. */
export function actorColumns(actor: Actor): { kind: string; id: string; name: string } {
  switch (actor.kind) {
    case 'owner':
      return { kind: 'owner', id: actor.subject, name: actor.name };
    case 'execution':
      return { kind: 'agent', id: actor.agentProfileId, name: actor.profileKey };
    case 'gateway':
      return actorColumns(actor.execution);
    case 'service':
      return { kind: 'runtime', id: 'runtime', name: 'runtime' };
    case 'agent':
      return actor;
    case 'system':
      return { kind: 'system', id: 'system', name: actor.name };
  }
}
