import { ListOf, Nested, OneOf, Text, Timestamp, Uuid } from '../../../kernel/validation/index.ts';
import { ActivityActorDto, ActivitySubjectDto } from '../activity/activity.dto.ts';
import { ACTIVITY_VERBS } from '../activity/activity-verb.ts';

export class ActivityEventQuery {
  @ListOf(ACTIVITY_VERBS, { optional: true, description: 'Only these; repeatable' })
  verb?: string[];

  @Uuid({ optional: true, description: 'Only what concerns this task and its descendants' })
  rootTaskId?: string;
}

/** Why a stream begins here and does not go on from the event that the client saw last. */
export const SNAPSHOT_REASONS = ['started', 'behind_retention', 'unknown_position'] as const;
export type SnapshotReason = (typeof SNAPSHOT_REASONS)[number];

/** The stream tells all that comes from here on; what was before is in the list of the activity. */
export class ActivitySnapshotEventDto {
  @OneOf(['snapshot'])
  type!: 'snapshot';
  @OneOf(SNAPSHOT_REASONS, {
    description:
      '`started`: the client named no event. `behind_retention`: entries since the event that it named are removed. `unknown_position`: the log does not have that event, e.g. because the database was restored from an older backup; or the id is none of ours.',
  })
  reason!: SnapshotReason;
  @Timestamp({ description: 'The time of the newest entry before', nullable: true })
  at!: string | null;
}

/** An entry of the activity log. */
export class ActivityEventDto {
  @OneOf(['activity'])
  type!: 'activity';
  @Uuid()
  id!: string;
  @OneOf(ACTIVITY_VERBS, { example: 'task.completed' })
  verb!: string;
  @Nested(() => ActivitySubjectDto)
  subject!: ActivitySubjectDto;
  @Nested(() => ActivityActorDto)
  actor!: ActivityActorDto;
  @Timestamp()
  at!: string;
  @Uuid({ optional: true, description: 'The task that it concerns' })
  taskId?: string;
  @Uuid({ optional: true, description: 'The root of the tree of that task' })
  rootTaskId?: string;
  @Text({ optional: true, example: 'completed', description: 'The status of the subject, where the verb tells it' })
  status?: string;
}
