import { Flag, Integer, NestedList, OneOf, Slug, Text, Timestamp, Uuid } from '../../../kernel/validation/index.ts';
import { ENDED_TASK_STATUSES, type EndedTaskStatus } from '../../tasks/index.ts';

/** What the organization knows about the work: evidence, and never an instruction, a grant or an approval. */
export class ContextEntryDto {
  @Uuid({ description: 'The record, which can be read with its evidence' })
  knowledgeId!: string;
  @Text({ example: 'competitor-pricing' })
  key!: string;
  @Text({ example: 'Prices of the competitors' })
  title!: string;
  @Text({
    max: 2_000,
    example: 'The two nearest competitors raised the price of their smallest plan to 29 euros in March.',
    description: 'The finding, or the passage of material that fits best',
  })
  text!: string;
  @OneOf(['execution', 'material'], {
    example: 'execution',
    description: 'What an execution found, or owners brought in',
  })
  origin!: 'execution' | 'material';
  @OneOf(['current'], { example: 'current' })
  freshness!: 'current';
  @Timestamp()
  retainedAt!: string;
}

export class ManifestLessonDto {
  @Slug({ example: 'old-prices-until-friday' })
  key!: string;
  @Text({ example: 'Campaigns that start before a change of prices begin with the old ones.' })
  lesson!: string;
}

/** What the profile has learned: advice from its own work, which permits nothing. */
export class ManifestMemoryDto {
  @Integer({ example: 1, description: 'What a learning outcome names as `expectedRevision`' })
  revision!: number;
  @NestedList(() => ManifestLessonDto, { description: 'Newest first, within 32 KiB' })
  lessons!: ManifestLessonDto[];
  @Flag({ example: false, description: 'Whether there are more' })
  truncated!: boolean;
}

export class LearnedTaskDto {
  @Uuid()
  taskId!: string;
  @Text({ example: 'GRO-7' })
  identifier!: string;
  @Text({ example: 'Start the spring campaign' })
  title!: string;
  @OneOf(ENDED_TASK_STATUSES, { example: 'completed' })
  status!: EndedTaskStatus;
  @Timestamp()
  completedAt!: string;
}

export class LearningAnswerDto {
  @Uuid()
  inboxItemId!: string;
  @Text({ example: 'Two campaigns began with the old prices. Is that what you want?' })
  question!: string;
  @Text({ example: 'Yes, until the day of the change.' })
  response!: string;
}

export class RevokedFromManifestDto {
  @Slug({ example: 'prices-change-on-friday' })
  key!: string;
  @Text({ example: 'Prices change on Fridays.' })
  lesson!: string;
  @Text({ example: 'That was one week only' })
  reason!: string;
}

/** What there is to learn from, since the last cycle. */
export class ManifestLearningDto {
  @Timestamp({ description: 'When the task’s first run began' })
  cycleStartedAt!: string;
  @Uuid({ nullable: true, description: 'The last task that was looked at' })
  sinceTaskId!: string | null;
  @NestedList(() => LearnedTaskDto, {
    max: 200,
    description: 'Tasks of the profile that ended behind that one, the oldest first',
  })
  tasks!: LearnedTaskDto[];
  @Flag({ example: false, description: 'Whether there are more; they are the next cycle’s' })
  more!: boolean;
  @NestedList(() => LearningAnswerDto, {
    max: 50,
    description: 'Answers to learning inputs since the last cycle began, the latest first',
  })
  answers!: LearningAnswerDto[];
  @NestedList(() => RevokedFromManifestDto, {
    max: 100,
    description: 'What owners took back, the latest first: neither their keys nor their texts are learned again',
  })
  revoked!: RevokedFromManifestDto[];
}
