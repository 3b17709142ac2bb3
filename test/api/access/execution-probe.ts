import { Controller, Get, Post, Put } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from '../../../src/app.module.ts';
import type { Config } from '../../../src/config/index.ts';
import {
  Caller,
  Execution,
  type ExecutionPrincipal,
  type ExecutionState,
  LiveExecutions,
  type OwnerPrincipal,
} from '../../../src/kernel/auth/index.ts';
import { Reads, sql, Transactions } from '../../../src/kernel/database/index.ts';
import { createAdapter, Draining, Endpoint } from '../../../src/kernel/http/index.ts';
import { ActivityLogService, OrganizationsModule } from '../../../src/modules/organizations/index.ts';

/** Kinds of the callers that `GET …/either` was given. */
export const callers: string[] = [];

const spec = { summary: 'Probe', auth: 'execution', returns: Object } as const;
const rename = (name: string) => sql`update agent_profile set name = ${name}`;

/** What a module of executions does with them, over rows that there are: an execution has the id of a profile here. */
@Controller('internal/agent/organizations/:organizationId')
class ProbeController {
  /** Of its own: in the application's, runs are runs. */
  private readonly live = new LiveExecutions();

  constructor(
    private readonly reads: Reads,
    private readonly transactions: Transactions,
    private readonly activity: ActivityLogService,
  ) {
    this.live.register('task_run', {
      state: ({ executionId, generation }) =>
        sql<ExecutionState>`
        select p.deleted_at is null and ${generation}::int = 1 as alive, p.status = 'enabled' as enabled,
          true as permitted
        from agent_profile p where p.id = ${executionId}`,
      boundTo: () => sql`select`,
      hold: () => sql`select`,
    });
  }

  @Get('read')
  @Endpoint(spec)
  async read(@Execution() execution: ExecutionPrincipal): Promise<object> {
    await this.reads.through(this.live.access(execution), sql`select from agent_profile`);
    return {};
  }

  @Post('hot')
  @Endpoint(spec)
  async hot(@Execution() execution: ExecutionPrincipal): Promise<object> {
    await this.transactions.batch(this.live.access(execution), [rename('hot')]);
    return {};
  }

  @Put('enabled')
  @Endpoint(spec)
  async enabled(@Execution() execution: ExecutionPrincipal): Promise<object> {
    await this.transactions.batch(this.live.access(execution, { enabledProfile: true }), [rename('enabled')]);
    return {};
  }

  @Post('work')
  @Endpoint(spec)
  async work(@Execution() execution: ExecutionPrincipal): Promise<object> {
    const { organizationId } = execution;
    await this.transactions.through(this.live.access(execution), async (tx) => {
      await tx.rows(rename('work'));
      const subject = { kind: 'organization', id: organizationId, label: 'probe' };
      await this.activity.record(tx, { actor: execution, verb: 'organization.updated', subject });
    });
    return {};
  }

  @Get('turns')
  @Endpoint({ ...spec, execution: { kinds: ['chat_turn'] } })
  turns(): object {
    return {};
  }

  @Get('operators')
  @Endpoint({ ...spec, execution: { profileKinds: ['operator', 'chat'] } })
  operators(): object {
    return {};
  }

  @Get('not-verifying')
  @Endpoint({ ...spec, execution: { modes: ['plan', 'execute'] } })
  notVerifying(): object {
    return {};
  }

  @Get('either')
  @Endpoint({ ...spec, auth: ['owner', 'execution'], scope: 'read', execution: { kinds: ['task_run'] } })
  either(@Caller() caller: OwnerPrincipal | ExecutionPrincipal): object {
    callers.push(caller.kind);
    return {};
  }

  @Get('runtimes')
  @Endpoint({ ...spec, auth: 'service' })
  runtimes(): object {
    return {};
  }
}

/** The application with the probe's routes beside its own, without a port. */
export async function startProbe(config: Config): Promise<NestFastifyApplication> {
  const draining = new Draining();
  class Probe {}
  const probe = await NestFactory.create<NestFastifyApplication>(
    {
      module: Probe,
      imports: [AppModule.register(config, draining), OrganizationsModule],
      controllers: [ProbeController],
    },
    createAdapter({ draining }),
    { bodyParser: false, logger: false, abortOnError: false },
  );
  await probe.init();
  await probe.getHttpAdapter().getInstance().ready();
  return probe;
}
