import { Injectable } from '@nestjs/common';
import type { OwnerPrincipal, Principal } from '../../../kernel/auth/index.ts';
import { Reads, type Statement, statement, type Tx } from '../../../kernel/database/index.ts';
import { newId } from '../../../kernel/ids/index.ts';
import type { Page } from '../../../kernel/pagination/index.ts';
import { type ActivityDto, type ActivityListQuery, toActivity } from './activity.dto.ts';
import { activityOf } from './activity.queries.ts';

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

/** What happened in organizations. */
@Injectable()
export class ActivityLogService {
  constructor(private readonly reads: Reads) {}

  async list(owner: OwnerPrincipal, organizationId: string, query: ActivityListQuery): Promise<Page<ActivityDto>> {
    const page = await this.reads.listInOrganization(owner.subject, organizationId, activityOf(organizationId, query));
    return page.map(toActivity);
  }

  /** Writes an entry in the transaction of the change that it tells of. */
  async record(tx: Tx, entry: ActivityEntry): Promise<void> {
    await tx.rows(activityEntry(entry));
  }
}

/** The statement of an entry, for whoever sends it together with the change. */
export function activityEntry({ organizationId, actor, verb, subject, details }: ActivityEntry): Statement {
  const by = actorColumns(actor);
  return statement(
    `insert into activity (organization_id, id, at, actor_kind, actor_id, actor_name, verb, subject_kind, subject_id, subject_label, details)
     values ($1, $2, clock_timestamp(), $3, $4, $5, $6, $7, $8, $9, $10::jsonb)`,
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
