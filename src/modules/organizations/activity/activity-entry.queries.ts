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

/** The statement of an entry, for whoever sends it together with the change; its commit writes the log line too. */
export function activityEntry(entry: ActivityEntry): Statement {
  const { organizationId, verb, subject, details = {}, facts = {} } = entry;
  const actor = actorColumns(entry.actor);
  const inserted = insertActivity({
    organizationId,
    id: newId(),
    actor,
    verb,
    subject,
    details: sql`${JSON.stringify(details)}::jsonb`,
  });
  return withAfterCommit(inserted, () =>
    logEvent({ organizationId, verb, actor, subject, facts: { ...details, ...facts } }),
  );
}

/** The columns of an actor, for entries that a statement makes from rows. */
export function actorColumns(actor: Actor): { kind: string; id: string; name: string } {
  switch (actor.kind) {
    case 'owner':
      return { kind: 'owner', id: actor.subject, name: actor.name };
    case 'execution':
      return { kind: 'agent', id: actor.agentProfileId, name: actor.profileKey };
    case 'service':
      return { kind: 'runtime', id: 'runtime', name: 'runtime' };
    case 'agent':
      return actor;
    case 'system':
      return { kind: 'system', id: 'system', name: actor.name };
  }
}
