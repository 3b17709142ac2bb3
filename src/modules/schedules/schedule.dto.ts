import { OpaqueCursor, PageQuery, WindowedPageQuery } from '../../kernel/pagination/index.ts';
import { Flag, Integer, ListOf, Nested, OneOf, Slug, Text, Timestamp, Uuid } from '../../kernel/validation/index.ts';
import { OrganizationParams } from '../organizations/index.ts';
import { PRIORITY, TaskSpecDto } from '../tasks/index.ts';
import type { Schedule, ScheduleError } from './schedule.entity.ts';
import { ScheduleRef } from './schedule-ref.ts';
import {
  OCCURRENCE_ORIGINS,
  OCCURRENCE_STATUSES,
  SCHEDULE_ORIGINS,
  SCHEDULE_STATUSES,
  SKIP_REASONS,
} from './schedule.state.ts';
import type { TaskTemplate } from './task-template.ts';

export class ScheduleParams extends OrganizationParams {
  @ScheduleRef()
  scheduleRef!: string;
}

export class ScheduleFilters extends WindowedPageQuery {
  @OpaqueCursor()
  declare cursor?: string;
  @ListOf(SCHEDULE_STATUSES, { optional: true, description: 'Repeatable' })
  status?: string[];
  @ListOf(SCHEDULE_ORIGINS, { optional: true, description: 'Repeatable' })
  origin?: string[];
}

export class ScheduleListQuery extends ScheduleFilters {
  @Uuid({ optional: true, description: 'Only schedules that this profile owns' })
  agentProfileId?: string;
}

export class OccurrenceListQuery extends PageQuery {
  @OpaqueCursor()
  declare cursor?: string;
  @Timestamp({ optional: true, description: 'Only rows created after this' })
  createdAfter?: string;
  @Timestamp({ optional: true, description: 'Only rows created before this' })
  createdBefore?: string;
  @ListOf(OCCURRENCE_STATUSES, { optional: true, description: 'Repeatable' })
  status?: string[];
  @ListOf(OCCURRENCE_ORIGINS, { optional: true, description: 'Repeatable' })
  origin?: string[];
}

export class TriggerDto {
  @OneOf(['interval', 'cron', 'once'], { example: 'cron' })
  kind!: string;
  @Integer({ kinds: ['interval'], example: 1_440 })
  everyMinutes?: number;
  @Text({ kinds: ['cron'], example: '0 9 * * MON', description: 'Five fields' })
  expression?: string;
  @Text({ kinds: ['interval', 'cron'], example: 'Europe/Berlin', description: 'An IANA zone' })
  timezone?: string;
  @Timestamp({ kinds: ['once'] })
  at?: string;
}

export class TaskTemplateDto {
  @Text({ max: 200, example: 'Write the weekly growth report' })
  title!: string;
  @OneOf(['task'], { example: 'task' })
  kind!: string;
  @Slug({ example: 'growth', description: 'Who does the tasks' })
  ownerAgentProfileKey!: string;
  @Nested(() => TaskSpecDto)
  spec!: TaskSpecDto;
  @Integer({ min: PRIORITY.min, max: PRIORITY.max, example: 0 })
  priority!: number;
  @Flag({ example: false, description: 'Whether a slot is taken while the task of the one before has not ended' })
  allowOverlap!: boolean;
}

export class ScheduleStateDto {
  @Integer({ example: 0, description: 'Slots that passed while nothing could fire, over its whole life' })
  missedCount!: number;
  @Integer({ example: 0, description: 'Slots that found the previous task unfinished' })
  overlapSkipped!: number;
}

export class ScheduleErrorDto {
  @Text({ example: 'profile_disabled' })
  code!: string;
  @Text({ example: 'The agent profile is disabled or gone.' })
  message!: string;
  @Timestamp()
  at!: string;
}

export class ScheduleDto {
  @Uuid()
  id!: string;
  @Uuid()
  organizationId!: string;
  @Uuid({ description: 'The profile that owns it' })
  agentProfileId!: string;
  @Slug({ example: 'weekly-growth-report' })
  key!: string;
  @Text({ max: 200, example: 'Weekly growth report' })
  name!: string;
  @OneOf(SCHEDULE_STATUSES, { example: 'enabled' })
  status!: string;
  @OneOf(SCHEDULE_ORIGINS, {
    example: 'user',
    description: '`user`: made in a chat turn; `agent`: otherwise by an agent; `system`: by the backend',
  })
  origin!: string;
  @Uuid({ nullable: true })
  createdByAgentProfileId!: string | null;
  @Uuid({ nullable: true, example: null })
  sourceRunId!: string | null;
  @Uuid({ nullable: true, example: null })
  sourceChatId!: string | null;
  @Uuid({ nullable: true, example: null })
  sourceMessageId!: string | null;
  @Nested(() => TriggerDto)
  trigger!: TriggerDto;
  @Nested(() => TaskTemplateDto)
  taskTemplate!: TaskTemplateDto;
  @Nested(() => ScheduleStateDto)
  state!: ScheduleStateDto;
  @Timestamp({ nullable: true, description: 'The next slot; what it was before a pause; null when there is none' })
  nextRunAt!: string | null;
  @Timestamp({ nullable: true, example: null, description: 'When it last created a task' })
  lastRunAt!: string | null;
  @Nested(() => ScheduleErrorDto, { nullable: true, example: null })
  lastError!: ScheduleErrorDto | null;
  @Timestamp()
  createdAt!: string;
  @Timestamp({ description: 'Moved by edits, pause and resume, not by what fires' })
  updatedAt!: string;
}

export class ScheduleOccurrenceDto {
  @Uuid()
  id!: string;
  @Uuid()
  scheduleId!: string;
  @Timestamp()
  plannedAt!: string;
  @OneOf(OCCURRENCE_ORIGINS, { example: 'timer' })
  origin!: string;
  @OneOf(OCCURRENCE_STATUSES, { example: 'created' })
  status!: string;
  @OneOf(SKIP_REASONS, { nullable: true, example: null, description: 'Why it was skipped' })
  reason!: string | null;
  @Uuid({ nullable: true, description: 'The task that it created' })
  taskId!: string | null;
  @Timestamp()
  createdAt!: string;
}

/** The columns that a schedule is shown from. */
export interface ScheduleRow extends Omit<ScheduleDto, 'state' | 'trigger' | 'taskTemplate' | 'lastError'> {
  trigger: Schedule['trigger'];
  taskTemplate: TaskTemplate;
  lastError: ScheduleError | null;
  missedCount: number;
  overlapSkipped: number;
}

export function toSchedule({ missedCount, overlapSkipped, taskTemplate, ...row }: ScheduleRow): ScheduleDto {
  const { spec } = taskTemplate;
  return {
    ...row,
    taskTemplate: {
      ...taskTemplate,
      spec: { ...spec, inputs: [...spec.inputs], acceptanceCriteria: [...spec.acceptanceCriteria] },
    },
    state: { missedCount, overlapSkipped },
  };
}
