import { Integer, Nested, NestedList, OneOf, Timestamp, Uuid } from '../../kernel/validation/index.ts';
import {
  DISCOVERY_STATUSES,
  type DiscoveryStatus,
  INTENTION_KEYS,
  INTENTION_STATUSES,
  type IntentionStatus,
} from './discovery.state.ts';

export class IntentionDto {
  @OneOf(INTENTION_KEYS, { example: 'market' })
  key!: string;
  @OneOf(INTENTION_STATUSES, { example: 'task_created' })
  status!: IntentionStatus;
  @Integer({ example: 1, description: 'Tasks that were created for it; at most three, but for retries of an owner' })
  attempts!: number;
  @Uuid({ nullable: true, description: 'The last of them' })
  taskId!: string | null;
  @Timestamp({ nullable: true, example: null, description: 'When the next one is due' })
  nextAttemptAt!: string | null;
}

export class DepartmentDiscoveryDto {
  @OneOf(INTENTION_STATUSES, { example: 'waiting' })
  status!: IntentionStatus;
  @Uuid({ nullable: true, example: null })
  taskId!: string | null;
}

const NONE = { nullable: true, description: 'Null where the department was never enabled' };

export class DepartmentDiscoveriesDto {
  @Nested(() => DepartmentDiscoveryDto, NONE)
  growth!: DepartmentDiscoveryDto | null;
  @Nested(() => DepartmentDiscoveryDto, NONE)
  engineering!: DepartmentDiscoveryDto | null;
  @Nested(() => DepartmentDiscoveryDto, NONE)
  support!: DepartmentDiscoveryDto | null;
}

export class DiscoveryDto {
  @OneOf(DISCOVERY_STATUSES, {
    example: 'researching',
    description:
      '`research_failed`: all research has come to an end, and none left knowledge; `complete` too for organizations from before there was discovery. Departments that are switched off do not count',
  })
  status!: DiscoveryStatus;
  @Timestamp({ nullable: true, example: null, description: 'Releases the departments, once the research is done' })
  integrationSetupCompletedAt!: string | null;
  @NestedList(() => IntentionDto, { description: 'The research of the operator' })
  intentions!: IntentionDto[];
  @Nested(() => DepartmentDiscoveriesDto)
  departments!: DepartmentDiscoveriesDto;
}
