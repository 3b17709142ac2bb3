import { applyDecorators } from '@nestjs/common';
import {
  codePoints,
  ConvertedText,
  Flag,
  Formatted,
  Integer,
  isStorable,
  Name,
  Nested,
  OneOf,
  PartialUpdate,
  Slug,
  Text,
  TextList,
  Timestamp,
  Uuid,
  Variant,
} from '../../kernel/validation/index.ts';
import { invalid } from '../../kernel/errors/index.ts';
import { normalizeTimezone, OrganizationIssues } from '../organizations/index.ts';
import { CreateBudgetDto, PRIORITY } from '../tasks/index.ts';
import { ScheduleFilters } from './schedule.dto.ts';
import { leastDistance, normalizeExpression } from './cron/cron-expression.ts';
import { instantText, type Trigger } from './schedule-trigger.ts';
import { ScheduleIssues } from './schedule.errors.ts';

const LONGEST = 1_000;

/** A value of a form that has one normal spelling, in which it arrives. */
function Normalized(
  normalize: (text: string) => string | undefined,
  options: Omit<Parameters<typeof Formatted>[0], 'test'>,
): PropertyDecorator {
  return applyDecorators(
    // Nothing is made of text that is too long to be one.
    ConvertedText((text) => (text.length <= LONGEST ? (normalize(text) ?? text) : text)),
    Formatted({ ...options, test: (text) => text.length <= LONGEST && normalize(text) !== undefined }),
  );
}

function Timezone(description: string): PropertyDecorator {
  const what = 'an IANA time zone';
  return Normalized(normalizeTimezone, {
    issue: OrganizationIssues.invalidTimezone,
    what,
    max: 100,
    example: 'Europe/Berlin',
    description,
  });
}

export class IntervalTriggerDto {
  @OneOf(['interval'])
  kind!: 'interval';
  @Integer({ min: 5, max: 525_600, example: 1_440 })
  everyMinutes!: number;
  @Timezone('IANA zone, for show: an interval is of elapsed time')
  timezone!: string;
}

export class CronTriggerDto {
  @OneOf(['cron'])
  kind!: 'cron';
  @Normalized(normalizeExpression, {
    issue: ScheduleIssues.invalidExpression,
    what: 'a cron expression of five fields that comes due some time',
    max: 200,
    example: '0 9 * * MON',
    description:
      'Minute, hour, day of the month, month, day of the week; at least 5 minutes between two slots. When the clock of the zone is changed, fixed hours (lists and ranges too) fire once: a time that is shown twice at the first showing, one that is skipped at the end of the gap. A wildcard (`*`, `*/n`) follows elapsed time: a time that is shown twice fires twice, one that is skipped as long after the slot before it as if the clock had not been changed, so that hourly work skips no hour',
  })
  expression!: string;
  @Timezone('IANA zone whose wall clock it follows')
  timezone!: string;
}

export class OnceTriggerDto {
  @OneOf(['once'])
  kind!: 'once';
  @Timestamp()
  at!: string;
}

const TRIGGERS = { interval: IntervalTriggerDto, cron: CronTriggerDto, once: OnceTriggerDto };
export type NewTriggerDto = IntervalTriggerDto | CronTriggerDto | OnceTriggerDto;

const LEAST_DISTANCE_MS = 5 * 60_000;

/** The trigger that a body describes; 400 for one that fires too often. */
export function toTrigger(trigger: NewTriggerDto): Trigger {
  switch (trigger.kind) {
    case 'interval':
      return { kind: 'interval', everyMinutes: trigger.everyMinutes, timezone: trigger.timezone };
    case 'cron':
      if (leastDistance(trigger.expression) < LEAST_DISTANCE_MS)
        throw invalid('trigger.expression', ScheduleIssues.tooFrequent);
      return { kind: 'cron', expression: trigger.expression, timezone: trigger.timezone };
    case 'once':
      return { kind: 'once', at: instantText(trigger.at) };
  }
}

/** Lists of the task's texts are short: this is a standing order, not a specification. */
const CRITERIA = {
  max: 5,
  items: {
    schema: { type: 'string', minLength: 1, maxLength: 2_000 },
    what: 'text of 1 to 2000 characters',
    test: (text: string) => isCriterion(text),
  },
};

function isCriterion(text: string): boolean {
  const length = codePoints(text);
  return length >= 1 && length <= 2_000 && isStorable(text);
}

/** The limits that an edit changes. */
@PartialUpdate()
export class UpdateBudgetDto {
  @Integer({ min: 1, max: 1_000, optional: true, description: 'Runs over the whole life of the task' })
  maxAgentRuns?: number;
  @Integer({ min: 1, max: 100, optional: true, description: 'Failed attempts within a phase' })
  maxAttemptsPerPhase?: number;
  @Integer({ max: 100, optional: true, description: 'Accepted plans after the first' })
  maxReplans?: number;
  @Integer({ max: 1_000, optional: true, description: 'Proposed actions' })
  maxActions?: number;
}

@PartialUpdate()
export class UpdateScheduleTaskDto {
  @Name({ optional: true })
  title?: string;
  @Text({ visible: true, max: 20_000, optional: true, example: 'Report on the last week, and on what to do next' })
  objective?: string;
  @Slug({ optional: true, description: 'Who does the tasks' })
  ownerAgentProfileKey?: string;
  @TextList({ ...CRITERIA, optional: true })
  acceptanceCriteria?: string[];
  @Integer({ ...PRIORITY, default: undefined, optional: true })
  priority?: number;
  @Nested(() => UpdateBudgetDto, {
    optional: true,
    example: { maxAgentRuns: 20 },
    description: 'Limits that are left out stay as they are',
  })
  budget?: UpdateBudgetDto;
}

export class CreateScheduleTaskDto {
  @Name({ example: 'Write the weekly growth report' })
  title!: string;
  @Text({ visible: true, max: 20_000, example: 'Report on the last week, and on what to do next' })
  objective!: string;
  @Slug({ optional: true, description: 'Who does the tasks; the profile that owns the schedule when left out' })
  ownerAgentProfileKey?: string;
  @TextList({ ...CRITERIA, optional: true, example: ['It names three numbers'] })
  acceptanceCriteria?: string[];
  @Integer({ ...PRIORITY, optional: true, description: 'Higher goes first' })
  priority?: number;
  @Nested(() => CreateBudgetDto, { optional: true, example: { maxAgentRuns: 20 } })
  budget?: CreateBudgetDto;
}

/** On whose behalf a runtime calls. An execution calls on its own. */
export class ActingDto {
  @Uuid({ optional: true, description: 'The acting profile; of an execution it can only be its own' })
  agentProfileId?: string;
  @Uuid({ optional: true, description: 'The live run of that profile in which this happens' })
  runId?: string;
  @Uuid({ optional: true, description: 'The live chat turn of that profile in which this happens' })
  turnId?: string;
}

export class CreateScheduleDto extends ActingDto {
  @Slug({ optional: true, description: 'Made from the name when left out' })
  key?: string;
  @Name({ example: 'Weekly growth report' })
  name!: string;
  @Variant(TRIGGERS)
  trigger!: NewTriggerDto;
  @Timestamp({ optional: true, description: 'The first slot instead of the trigger’s; in the future' })
  nextRunAt?: string;
  @Nested(() => CreateScheduleTaskDto)
  task!: CreateScheduleTaskDto;
  @Flag({ optional: true, default: false, description: 'Take a slot though the task of the one before has not ended' })
  allowOverlap = false;
}

@PartialUpdate()
export class UpdateScheduleDto extends ActingDto {
  @Timestamp({ description: '`updatedAt` of the schedule as it was read' })
  expectedUpdatedAt!: string;
  @Name({ optional: true, example: 'Weekly growth report' })
  name?: string;
  @Variant(TRIGGERS, {
    optional: true,
    example: { kind: 'interval', everyMinutes: 1_440, timezone: 'Europe/Berlin' },
  })
  trigger?: NewTriggerDto;
  @Timestamp({ optional: true, description: 'The next slot instead of the trigger’s; in the future' })
  nextRunAt?: string;
  @Nested(() => UpdateScheduleTaskDto, { optional: true, description: 'Replaces the parts that are given' })
  task?: UpdateScheduleTaskDto;
  @Flag({ optional: true, description: 'Take a slot though the task of the one before has not ended' })
  allowOverlap?: boolean;
}

export class AgentScheduleListQuery extends ScheduleFilters {
  @Uuid({ optional: true, description: 'The acting profile; of an execution it can only be its own' })
  agentProfileId?: string;
}

export class ActingQuery {
  @Uuid({ optional: true, description: 'The acting profile; of an execution it can only be its own' })
  agentProfileId?: string;
}

export class DeleteScheduleQuery extends ActingQuery {
  @Timestamp({ optional: true, description: '`updatedAt` of the schedule as it was read' })
  expectedUpdatedAt?: string;
}
