import { PROFILE_KEYS } from '../../../kernel/leases/index.ts';
import { Integer, isUuid, ListOf, Nested, Text, TextList, Timestamp, Uuid } from '../../../kernel/validation/index.ts';
import { EXECUTION_CLASSES, TASK_PHASES } from '../../tasks/index.ts';

const ORGANIZATION_IDS = {
  nullable: true,
  items: { schema: { type: 'string', format: 'uuid' }, what: 'a UUID', test: isUuid },
  example: null,
  description: 'Null for all',
};
const KEYS = { items: PROFILE_KEYS.items, nullable: true, description: 'Null for all' };

export class RunClaimFiltersDto {
  @TextList(ORGANIZATION_IDS)
  organizationIds!: string[] | null;
  @TextList({ ...KEYS, example: ['growth'] })
  profileKeys!: string[] | null;
  @ListOf(TASK_PHASES, { nullable: true, example: ['plan', 'execute'], description: 'Null for all' })
  modes!: string[] | null;
  @ListOf(EXECUTION_CLASSES, { nullable: true, example: null, description: 'Null for all' })
  executionClasses!: string[] | null;
}

export class TurnClaimFiltersDto {
  @TextList(ORGANIZATION_IDS)
  organizationIds!: string[] | null;
  @TextList({ ...KEYS, example: ['chat'] })
  profileKeys!: string[] | null;
}

export class WorkerFiltersDto {
  @Nested(() => RunClaimFiltersDto, { nullable: true, description: 'Null where it has claimed no run requests' })
  runs!: RunClaimFiltersDto | null;
  @Nested(() => TurnClaimFiltersDto, { nullable: true, description: 'Null where it has claimed no chat turns' })
  turns!: TurnClaimFiltersDto | null;
}

export class WorkerHoldsDto {
  @Integer({ example: 0, description: 'Run requests that it has claimed and not started' })
  claims!: number;
  @Integer({ example: 2, description: 'Runs that live' })
  runs!: number;
  @Integer({ example: 1, description: 'Chat turns under its lease' })
  turns!: number;
}

export class KnownWorkerDto {
  @Text({ max: 200, example: 'runtime-7' })
  workerId!: string;
  @Uuid({ nullable: true, description: 'Of its latest claim; null where only an unnamed start tells of it' })
  bootId!: string | null;
  @Timestamp({ description: 'When it last claimed (up to about a minute late) or renewed a lease' })
  lastSeenAt!: string;
  @Nested(() => WorkerHoldsDto, { description: 'What it holds now, under whichever boot id' })
  holds!: WorkerHoldsDto;
  @Nested(() => WorkerFiltersDto, { description: 'What its latest claims asked for' })
  filters!: WorkerFiltersDto;
}
