import { UsageDto } from '../../kernel/leases/index.ts';
import { OpaqueCursor, WindowedPageQuery } from '../../kernel/pagination/index.ts';
import {
  CutText,
  Flag,
  Integer,
  ListOf,
  Nested,
  NestedList,
  OneOf,
  Sha256,
  Text,
  Timestamp,
  Uuid,
} from '../../kernel/validation/index.ts';
import { OrganizationParams } from '../organizations/index.ts';
import { AttemptErrorDto, TASK_PHASES } from '../tasks/index.ts';
import { RunOutputDto } from './run-result.dto.ts';
import { RUN_STATUSES } from './run.state.ts';

export class OwnedRunParams extends OrganizationParams {
  @Uuid()
  id!: string;
}

export class RunParams {
  @Uuid()
  runId!: string;
}

export class RunListQuery extends WindowedPageQuery {
  @OpaqueCursor()
  declare cursor?: string;

  @ListOf(RUN_STATUSES, { optional: true, description: 'Repeatable' })
  status?: string[];

  @Uuid({ optional: true, description: 'Only attempts at this task' })
  taskId?: string;

  @Uuid({ optional: true, description: 'Only runs of this agent profile' })
  agentProfileId?: string;
}

export class RunProfileDto {
  @Uuid()
  id!: string;
  @Text({ example: 'growth' })
  key!: string;
  @Text({ example: 'Growth' })
  name!: string;
  @Text({ example: 'department' })
  kind!: string;
  @Text({ nullable: true, example: 'growth' })
  department!: string | null;
  @Text({ example: 'enabled' })
  status!: string;
}

export class RunErrorDto extends AttemptErrorDto {}

export class RunDto {
  @Uuid()
  id!: string;
  @Uuid()
  taskId!: string;
  @Uuid()
  runRequestId!: string;
  @Nested(() => RunProfileDto)
  agentProfile!: RunProfileDto;
  @Integer({ min: 1, example: 1 })
  attempt!: number;
  @OneOf(TASK_PHASES, { example: 'execute' })
  mode!: string;
  @OneOf(RUN_STATUSES, { example: 'running' })
  status!: string;
  @Text({ example: 'default' })
  model!: string;
  @Text({ example: 'worker-1' })
  workerId!: string;
  @Text({ nullable: true, example: 'cli' })
  harness!: string | null;
  @Text({ nullable: true, example: 'file:///workspaces/1' })
  workspaceUri!: string | null;
  @Timestamp({ nullable: true, description: 'While the run is live' })
  leaseExpiresAt!: string | null;
  @Nested(() => RunOutputDto, { nullable: true, example: null, description: 'Of a run that succeeded' })
  output!: RunOutputDto | null;
  @Nested(() => RunErrorDto, { nullable: true, example: null })
  error!: RunErrorDto | null;
  @Nested(() => UsageDto)
  usage!: UsageDto;
  @Timestamp()
  startedAt!: string;
  @Timestamp({ nullable: true, example: null })
  finishedAt!: string | null;
  @Timestamp()
  createdAt!: string;
  @Timestamp()
  updatedAt!: string;
}

export class ReceiptDto {
  @OneOf(['command'])
  kind!: string;
  @CutText({ max: 200, example: 'command-1' })
  id!: string;
  @Sha256()
  commandHash!: string;
  @CutText({ max: 50, example: 'completed' })
  status!: string;
  // Signed or not: systems say both.
  @Integer({ min: -(2 ** 31), max: 2 ** 32 - 1, nullable: true, example: 0 })
  exitCode!: number | null;
}

export class RunDetailDto extends RunDto {
  @NestedList(() => ReceiptDto, { max: 500 })
  receipts!: ReceiptDto[];
}

export class CancelRunDto {
  @Flag({
    optional: true,
    default: false,
    description: 'Give the task another run instead of failing it with `run_cancelled`',
  })
  requeue = false;
}
