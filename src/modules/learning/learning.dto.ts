import {
  Integer,
  Nested,
  NestedList,
  OneOf,
  Slug,
  Text,
  TextList,
  Timestamp,
  Uuid,
} from '../../kernel/validation/index.ts';
import { InboxPresentationDto } from '../inbox/index.ts';
import { DEPARTMENTS, OrganizationParams } from '../organizations/index.ts';
import { LessonEvidenceDto, SuggestionDto } from '../runs/index.ts';
import { TASK_STATUSES } from '../tasks/index.ts';

export class ProfileLearningParams extends OrganizationParams {
  @Slug({ example: 'growth' })
  profileKey!: string;
}

export class LessonParams extends ProfileLearningParams {
  @Slug({ example: 'old-prices-until-friday' })
  lessonKey!: string;
}

export class RevokeQuery {
  @Text({
    max: 500,
    visible: true,
    description: 'Why; runs of the profile are told',
    example: 'Prices now change at once',
  })
  reason!: string;
}

const LESSON = { max: 2_000, example: 'Campaigns that start before a change of prices begin with the old ones.' };

export class LessonDto {
  @Slug({ example: 'old-prices-until-friday' })
  key!: string;
  @Text(LESSON)
  lesson!: string;
  @TextList({ example: ['0199c9a4-5b1e-7c3a-9f42-1c8f6f0f2a11'], description: 'Tasks that it was learned from' })
  sourceTaskIds!: string[];
  @NestedList(() => LessonEvidenceDto, { example: [] })
  evidence!: LessonEvidenceDto[];
  @TextList({ example: [], description: 'Questions whose answers it was learned from' })
  humanInboxItemIds!: string[];
  @Timestamp()
  createdAt!: string;
  @Slug({ nullable: true, example: null, description: 'The lesson that it replaced' })
  supersedes!: string | null;
  @OneOf(['verified_learning'])
  origin!: string;
}

export class ProfileMemoryDto {
  @OneOf(['profile_memory'])
  kind!: string;
  @Slug({ example: 'growth' })
  profileKey!: string;
  @Integer({ min: 1, example: 3, description: 'Rises with every change of the lessons' })
  revision!: number;
  @Uuid({ nullable: true, description: 'The last task that was looked at' })
  watermarkTaskId!: string | null;
  @NestedList(() => LessonDto, { description: 'Newest first' })
  lessons!: LessonDto[];
  @NestedList(() => SuggestionDto, { description: 'For people to read: nothing executes them' })
  suggestions!: SuggestionDto[];
  @Timestamp({ nullable: true })
  lastLearnedAt!: string | null;
  @Timestamp({ nullable: true, description: 'When the last cycle’s first run began' })
  cycleStartedAt!: string | null;
  @Uuid({ nullable: true, description: 'The task of the last cycle' })
  sourceTaskId!: string | null;
}

export class LearningPresentationDto extends InboxPresentationDto {
  @Text({ max: 200, example: 'Do old prices hold until the change?' })
  title!: string;
}

export class LearningInputDto {
  @Uuid({ description: 'Of the inbox item' })
  id!: string;
  @Slug({ example: 'growth' })
  profileKey!: string;
  @Uuid({ description: 'The learning task that asked' })
  sourceTaskId!: string;
  @OneOf(['open', 'answered'], { example: 'open' })
  status!: string;
  @Text({ max: 10_000, example: 'Two campaigns began with the old prices. Is that what you want?' })
  question!: string;
  @Nested(() => LearningPresentationDto)
  presentation!: LearningPresentationDto;
  @Text({ nullable: true, example: null })
  response!: string | null;
  @Timestamp({ nullable: true, example: null })
  resolvedAt!: string | null;
}

export class LearningDto {
  @Slug({ example: 'growth' })
  profileKey!: string;
  @Text({ max: 200, example: 'Growth' })
  profileName!: string;
  @OneOf(DEPARTMENTS, { nullable: true, example: 'growth' })
  department!: string | null;
  @Nested(() => ProfileMemoryDto, { nullable: true, description: 'Null before the first cycle' })
  memory!: ProfileMemoryDto | null;
  @NestedList(() => LearningInputDto, { example: [], description: 'The open questions, and the latest 50 answered' })
  inputs!: LearningInputDto[];
}

export class LearningCycleDto {
  @Uuid()
  taskId!: string;
  @Text({ example: 'GRO-12' })
  identifier!: string;
  @OneOf(TASK_STATUSES, { example: 'pending' })
  status!: string;
}

export class RevokerDto {
  @Text({ example: 'owner' })
  kind!: string;
  @Text({ nullable: true, example: 'token:0199c9a4-5b1e-7c3a-9f42-1c8f6f0f2a11' })
  id!: string | null;
  @Text({ example: 'laptop' })
  name!: string;
}

export class LessonRevocationDto {
  @Text({ max: 500, example: 'Prices now change at once' })
  reason!: string;
  @Nested(() => RevokerDto)
  by!: RevokerDto;
  @Timestamp()
  at!: string;
}

export class RevokedLessonDto {
  @Slug({ example: 'old-prices-until-friday' })
  key!: string;
  @Text(LESSON)
  lesson!: string;
  @Nested(() => LessonRevocationDto)
  revocation!: LessonRevocationDto;
}
