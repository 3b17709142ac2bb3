import { setTimeout as wait } from 'node:timers/promises';
import { Controller, Get, Head } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Database, Migrations } from '../database/index.ts';
import { ApiError, EdgeErrors, EdgeIssues, issueAt, type IssueRow, withIssues } from '../errors/index.ts';
import { ObjectStore } from '../storage/index.ts';
import { ListOf, OneOf } from '../validation/index.ts';
import { Draining } from './edge/index.ts';
import { Endpoint } from './endpoint/index.ts';

class LivenessDto {
  @OneOf(['live'])
  status!: string;
}

class ReadinessDto {
  @OneOf(['ready'])
  status!: string;

  @ListOf(['object_store'], { description: 'Parts that are unreachable; calls that need them answer 503.' })
  degraded!: string[];
}

/** Shared by GET and HEAD. */
const LIVE = {
  description:
    'For restarts: answers 503 when the pooled database connections have completed nothing for a minute although the database answers a new connection.',
  auth: 'public',
  returns: LivenessDto,
  errors: [withIssues(EdgeErrors.serviceUnavailable, EdgeIssues.connectionsStuck)],
} as const;

const READY = {
  description:
    'For load balancers: answers 200 when the database answers and has every migration of this build, and 503 otherwise and during shutdown. A busy process stays ready, because the check uses its own connection. An unreachable object store is listed in `degraded`.',
  auth: 'public',
  returns: ReadinessDto,
  errors: [
    withIssues(
      EdgeErrors.serviceUnavailable,
      EdgeIssues.shuttingDown,
      EdgeIssues.databaseUnreachable,
      EdgeIssues.migrationsMissing,
    ),
  ],
} as const;

interface Look {
  readonly database: 'complete' | 'behind' | 'unreachable';
  readonly objectStore: boolean;
}

@ApiTags('health')
@Controller('health')
export class HealthController {
  private looking: Promise<Look> | undefined;

  constructor(
    private readonly database: Database,
    private readonly migrations: Migrations,
    private readonly objects: ObjectStore,
    private readonly draining: Draining,
  ) {}

  @Get('live')
  @Endpoint({ summary: 'Get whether the process is alive', ...LIVE })
  async live(): Promise<LivenessDto> {
    if (await this.database.isStuck()) throw unhealthy(EdgeIssues.connectionsStuck);
    return { status: 'live' };
  }

  @Head('live')
  @Endpoint({ summary: 'Check whether the process is alive', ...LIVE })
  liveHead(): Promise<LivenessDto> {
    return this.live();
  }

  @Get('ready')
  @Endpoint({ summary: 'Get whether the process is ready to serve', ...READY })
  async ready(): Promise<ReadinessDto> {
    if (this.draining.leaving) throw unhealthy(EdgeIssues.shuttingDown);
    // Probes that arrive together share one check, so that any number of them needs one connection.
    this.looking ??= this.look().finally(() => (this.looking = undefined));
    const { database, objectStore } = await this.looking;
    if (database === 'unreachable') throw unhealthy(EdgeIssues.databaseUnreachable);
    if (database === 'behind') throw unhealthy(EdgeIssues.migrationsMissing);
    return { status: 'ready', degraded: objectStore ? [] : ['object_store'] };
  }

  @Head('ready')
  @Endpoint({ summary: 'Check whether the process is ready to serve', ...READY })
  readyHead(): Promise<ReadinessDto> {
    return this.ready();
  }

  private async look(): Promise<Look> {
    const [missing, objectStore] = await Promise.all([
      inTime(this.migrations.missing()).catch(() => undefined),
      inTime(this.objects.check()).then(
        () => true,
        () => false,
      ),
    ]);
    if (!missing) return { database: 'unreachable', objectStore };
    return { database: missing.length > 0 ? 'behind' : 'complete', objectStore };
  }
}

const PROBE_LIMIT_MS = 2_000;

/** Limits a check to `PROBE_LIMIT_MS`, so that it ends before the caller's own timeout. */
function inTime<T>(probe: Promise<T>): Promise<T> {
  return Promise.race([probe, tooLate()]);
}

async function tooLate(): Promise<never> {
  await wait(PROBE_LIMIT_MS, undefined, { ref: false });
  throw new Error('The check took too long.');
}

function unhealthy(row: IssueRow): ApiError {
  return new ApiError(EdgeErrors.serviceUnavailable, { issues: [issueAt('', row)] });
}
