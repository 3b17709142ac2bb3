import { LeaseDto } from '../../../kernel/leases/index.ts';
import { Integer, OneOf, Text, Timestamp, Uuid } from '../../../kernel/validation/index.ts';

export class RunRequestParams {
  @Uuid()
  runRequestId!: string;
}

export class StartRunDto extends LeaseDto {
  @Uuid({ description: 'Made by the worker; a repeat with the same one answers the same run' })
  runId!: string;
  @Text({ max: 200, example: 'runtime-7' })
  workerId!: string;
  @Uuid({ optional: true, description: 'That of the claim when left out' })
  bootId?: string;
}

export class StartedRunDto {
  @OneOf(['run'])
  kind!: string;
  @Uuid()
  organizationId!: string;
  @Uuid()
  agentProfileId!: string;
  @Uuid()
  taskId!: string;
  @Uuid()
  runRequestId!: string;
  @Uuid()
  runId!: string;
  @Integer({ min: 1, example: 1 })
  attempt!: number;
  @Timestamp()
  leaseExpiresAt!: string;
  @Integer({ example: 20_000 })
  heartbeatIntervalMs!: number;
  @Text({ description: 'The capability of the execution; heartbeats renew it' })
  executionToken!: string;
}
