import { PageQuery } from '../../kernel/pagination/index.ts';
import { ListOf, Nested, OneOf, OpenObject, Text, TextList, Timestamp, Uuid } from '../../kernel/validation/index.ts';
import { ACTOR_KINDS } from './activity.entity.ts';

export class ActivityListQuery extends PageQuery {
  @ListOf(ACTOR_KINDS, { optional: true, description: 'Repeatable' })
  actorKind?: string[];

  @TextList({ optional: true, max: 20, description: 'Repeatable, e.g. `organization.updated`' })
  verb?: string[];

  @Text({ max: 100, optional: true, description: 'E.g. `agent_profile`' })
  subjectKind?: string;

  @Text({ max: 500, optional: true })
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
  @Text({ example: 'organization.updated' })
  verb!: string;
  @Nested(() => ActivitySubjectDto)
  subject!: ActivitySubjectDto;
  @OpenObject({ example: { changed: ['name'] } })
  details!: Record<string, unknown>;
}
