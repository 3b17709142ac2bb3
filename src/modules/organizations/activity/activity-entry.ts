import type { Principal } from '../../../kernel/auth/index.ts';
import { type Statement, statement } from '../../../kernel/database/index.ts';
import { newId } from '../../../kernel/ids/index.ts';

/** Who did something: a caller, or the backend itself. */
export type Actor =
  | Principal
  | { readonly kind: 'agent'; readonly id: string; readonly name: string }
  | { readonly kind: 'system'; readonly name: string };

export interface ActivityEntry {
  readonly organizationId: string;
  readonly actor: Actor;
  /** `<noun>.<past participle>`, e.g. `organization.updated`. */
  readonly verb: string;
  readonly subject: { readonly kind: string; readonly id: string; readonly label: string };
  /** Small and without secrets. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** An entry as SQL: the expression of each value. */
export interface EntrySql {
  readonly organizationId: string;
  readonly id: string;
  /** Now, unless given: for entries that share the time of their change. */
  readonly at?: string;
  readonly actor: { readonly kind: string; readonly id: string; readonly name: string };
  readonly verb: string;
  readonly subject: { readonly kind: string; readonly id: string; readonly label: string };
  /** Of type jsonb; empty unless given. */
  readonly details?: string;
}

/**
 * Writes entries into the activity log: one, or one for each row of `from`. Every statement that writes the log is made
 * here, except the administrator's counted row, which the kernel writes on the way into an organization (`enterCounted`):
 * it counts up instead of appending, and the kernel knows no module.
 */
export function insertActivity(entry: EntrySql, from?: string): string {
  const values = {
    organization_id: entry.organizationId,
    id: entry.id,
    at: entry.at ?? 'clock_timestamp()',
    actor_kind: entry.actor.kind,
    actor_id: entry.actor.id,
    actor_name: entry.actor.name,
    verb: entry.verb,
    subject_kind: entry.subject.kind,
    subject_id: entry.subject.id,
    subject_label: entry.subject.label,
    details: entry.details ?? `'{}'::jsonb`,
  };
  const row = Object.values(values).join(', ');
  const source = from === undefined ? `values (${row})` : `select ${row} from ${from}`;
  return `insert into activity (${Object.keys(values).join(', ')}) ${source}`;
}

const ONE_ENTRY = insertActivity({
  organizationId: '$1',
  id: '$2',
  actor: { kind: '$3', id: '$4', name: '$5' },
  verb: '$6',
  subject: { kind: '$7', id: '$8', label: '$9' },
  details: '$10::jsonb',
});

/** The statement of an entry, for whoever sends it together with the change. */
export function activityEntry({ organizationId, actor, verb, subject, details }: ActivityEntry): Statement {
  const by = actorColumns(actor);
  return statement(
    ONE_ENTRY,
    organizationId,
    newId(),
    by.kind,
    by.id,
    by.name,
    verb,
    subject.kind,
    subject.id,
    subject.label,
    JSON.stringify(details ?? {}),
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
