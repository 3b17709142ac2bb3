import { OpaqueCursor, PageQuery } from '../../../kernel/pagination/index.ts';
import { ListOf, Nested, OneOf, OpenObject, Text, Timestamp, Uuid } from '../../../kernel/validation/index.ts';
import { ACTIVITY_VERBS } from './activity-verb.ts';
import { ACTOR_KINDS } from './activity.entity.ts';

export class ActivityListQuery extends PageQuery {
  @OpaqueCursor()
  declare cursor?: string;

  @ListOf(ACTOR_KINDS, { optional: true, description: 'Repeatable' })
  actorKind?: string[];

  @ListOf(ACTIVITY_VERBS, { optional: true, description: 'Repeatable' })
  verb?: string[];

  @Text({ max: 100, optional: true, description: 'E.g. `agent_profile`' })
  subjectKind?: string;

  @Text({ max: 500, optional: true, description: 'Id of what was acted on' })
  subjectId?: string;

  @Timestamp({ optional: true, description: 'Only what happened after this' })
  createdAfter?: string;

  @Timestamp({ optional: true, description: 'Only what happened before this' })
  createdBefore?: string;
}

export class ActivityActorDto {
  @OneOf(ACTOR_KINDS)
  kind!: string;
  @Text({ example: 'token:0199c9a4-5b1e-7c3a-9f42-1c8f6f0f2a11' })
  id!: string;
  @Text({ example: 'laptop' })
  name!: string;
}

export class ActivitySubjectDto {
  @Text({ example: 'organization' })
  kind!: string;
  @Text({ example: '0199c9a4-5b1e-7c3a-9f42-1c8f6f0f2a11' })
  id!: string;
  @Text({ example: 'Acme' })
  label!: string;
}

export class ActivityDto {
  @Uuid()
  id!: string;
  @Timestamp()
  at!: string;
  @Nested(() => ActivityActorDto)
  actor!: ActivityActorDto;
  @OneOf(ACTIVITY_VERBS, { example: 'organization.updated' })
  verb!: string;
  @Nested(() => ActivitySubjectDto)
  subject!: ActivitySubjectDto;
  @OpenObject({ example: { changed: ['name'] } })
  details!: Record<string, unknown>;
}

/** The columns that an entry is shown from. */
export interface ActivityRow {
  id: string;
  at: string;
  actorKind: string;
  actorId: string;
  actorName: string;
  verb: string;
  subjectKind: string;
  subjectId: string;
  subjectLabel: string;
  details: Record<string, unknown>;
}

export function toActivity(row: ActivityRow): ActivityDto {
  return {
    id: row.id,
    at: row.at,
    actor: { kind: row.actorKind, id: row.actorId, name: row.actorName },
    verb: row.verb,
    subject: { kind: row.subjectKind, id: row.subjectId, label: row.subjectLabel },
    details: row.details,
  };
}
