import { Integer, Nested, NestedList, OneOf, Text, Timestamp, Uuid } from '../../../kernel/validation/index.ts';
import { BLOCKER_KINDS, TASK_STATUSES } from '../../tasks/index.ts';

export const MOVER_KINDS = ['live_run', 'run_request', 'schedule_time', 'blocker', 'children', 'none'] as const;
export const RESOLVERS = ['owner', 'agent', 'system', 'configuration'] as const;

export class WhyRefDto {
  @Text({
    example: 'task',
    description: 'The kind of the entity: a task, run, run request, inbox item, action or connector',
  })
  kind!: string;
  @Text({ example: '0199c9a4-5b1e-7c3a-9f42-1c8f6f0f2a11' })
  id!: string;
  @Text({ example: 'ENG-7 Mend the checkout', description: 'A name for people' })
  label!: string;
}

export class NextMoverDto {
  @OneOf(MOVER_KINDS)
  kind!: (typeof MOVER_KINDS)[number];
  @Timestamp()
  since!: string;
  @Timestamp({ optional: true, description: 'The latest time at which it moves or loses its lease' })
  until?: string;
  @NestedList(() => WhyRefDto, { example: [] })
  refs!: WhyRefDto[];
}

export class WhyBlockerDto {
  @OneOf(BLOCKER_KINDS)
  kind!: string;
  @Timestamp()
  since!: string;
  @NestedList(() => WhyRefDto)
  refs!: WhyRefDto[];
  @OneOf(RESOLVERS)
  whoCanResolve!: (typeof RESOLVERS)[number];
  @Text({ example: 'It goes on when ENG-7 completes.' })
  hint!: string;
}

export class LoadDto {
  @Integer({ example: 1, description: 'Live runs' })
  live!: number;
  @Integer({ example: 0, description: 'Requests that workers have claimed and may start' })
  claimed!: number;
  @Integer({ example: 10, description: 'Most live runs; while live and claimed ones are as many, no more is claimed' })
  limit!: number;
}

export class CapacityDto {
  @Nested(() => LoadDto)
  organization!: LoadDto;
  @Nested(() => LoadDto)
  profile!: LoadDto;
}

export class WhyDto {
  @Uuid()
  taskId!: string;
  @OneOf(TASK_STATUSES, { example: 'running' })
  status!: string;
  @Nested(() => NextMoverDto)
  nextMover!: NextMoverDto;
  @NestedList(() => WhyBlockerDto, { example: [] })
  blockers!: WhyBlockerDto[];
  @Nested(() => CapacityDto, {
    optional: true,
    description: 'What may run and what does; of a task that has not ended',
  })
  capacity?: CapacityDto;
  @Text({ example: 'Attempt 1 is at work.', description: 'One plain sentence' })
  explanation!: string;
}
