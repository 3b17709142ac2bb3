import { setTimeout as wait } from 'node:timers/promises';
import { Controller, Get, Head } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Database, Migrations } from '../database/index.ts';
import { ApiError, EdgeErrors, EdgeIssues, issueAt, type IssueRow } from '../errors/index.ts';
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

  @ListOf(['object_store'], { description: 'What is lost, so that calls which need it answer 503.' })
  degraded!: string[];
}

/** Of both ways to ask. */
const LIVE = {
  description:
    'For restarts: 503 once the connections to the database have served nothing for a minute although the database answers a new one.',
  auth: 'public',
  returns: LivenessDto,
  errors: [EdgeErrors.serviceUnavailable],
} as const;

const READY = {
  description:
    'For load balancers. Ready when the database answers and has every migration that this build knows; not while shutting down. Being busy is no reason: it is asked over a connection of its own. A lost object store is named in `degraded`.',
  auth: 'public',
  returns: ReadinessDto,
  errors: [EdgeErrors.serviceUnavailable],
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
  @Endpoint({ summary: 'Say whether the process is alive', ...LIVE })
  async live(): Promise<LivenessDto> {
    if (await this.database.isStuck()) throw unhealthy(EdgeIssues.connectionsStuck);
    return { status: 'live' };
  }

  @Head('live')
  @Endpoint({ summary: 'Look whether the process is alive', ...LIVE })
  liveHead(): Promise<LivenessDto> {
    return this.live();
  }

  @Get('ready')
  @Endpoint({ summary: 'Say whether the process can serve', ...READY })
  async ready(): Promise<ReadinessDto> {
    if (this.draining.leaving) throw unhealthy(EdgeIssues.shuttingDown);
    // Probes that come together look once, so that any number of them needs one connection.
    this.looking ??= this.look().finally(() => (this.looking = undefined));
    const { database, objectStore } = await this.looking;
    if (database === 'unreachable') throw unhealthy(EdgeIssues.databaseUnreachable);
    if (database === 'behind') throw unhealthy(EdgeIssues.migrationsMissing);
    return { status: 'ready', degraded: objectStore ? [] : ['object_store'] };
  }

  @Head('ready')
  @Endpoint({ summary: 'Look whether the process can serve', ...READY })
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

/** A probe gives up before whoever asks does. */
function inTime<T>(probe: Promise<T>): Promise<T> {
  return Promise.race([probe, tooLate()]);
}

async function tooLate(): Promise<never> {
  await wait(PROBE_LIMIT_MS, undefined, { ref: false });
  throw new Error('There was no answer in time.');
}

function unhealthy(row: IssueRow): ApiError {
  return new ApiError(EdgeErrors.serviceUnavailable, { issues: [issueAt('', row)] });
}
