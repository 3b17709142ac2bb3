import { setTimeout as wait } from 'node:timers/promises';
import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Migrations } from '../database/index.ts';
import { ApiError, EdgeErrors } from '../errors/index.ts';
import { ObjectStore } from '../storage/index.ts';
import { OneOf } from '../validation/index.ts';
import { Draining } from './edge/index.ts';
import { Endpoint } from './endpoint.ts';

class LivenessDto {
  @OneOf(['live'])
  status!: string;
}

class ReadinessDto {
  @OneOf(['ready'])
  status!: string;
}

@ApiTags('health')
@Controller('health')
export class HealthController {
  constructor(
    private readonly migrations: Migrations,
    private readonly objects: ObjectStore,
    private readonly draining: Draining,
  ) {}

  @Get('live')
  @Endpoint({
    summary: 'Say whether the process is alive',
    description: 'Looks at nothing but the process itself; for restarts.',
    auth: 'public',
    returns: LivenessDto,
  })
  live(): LivenessDto {
    return { status: 'live' };
  }

  @Get('ready')
  @Endpoint({
    summary: 'Say whether the process can serve',
    description:
      'Ready when the database answers and has every migration that this build knows, and the object store takes bytes; not while shutting down. For load balancers.',
    auth: 'public',
    returns: ReadinessDto,
    errors: [EdgeErrors.serviceUnavailable],
  })
  async ready(): Promise<ReadinessDto> {
    if (this.draining.begun) throw notReady('shutting_down', 'The process is shutting down.');
    const [missing] = await Promise.all([
      inTime(this.migrations.missing()).catch(() => {
        throw notReady('database_unreachable', 'The database does not answer.');
      }),
      inTime(this.objects.check()).catch(() => {
        throw notReady('object_store_unusable', 'The object store takes no bytes.');
      }),
    ]);
    if (missing.length > 0) throw notReady('migrations_missing', 'The database lacks migrations of this build.');
    return { status: 'ready' };
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

function notReady(code: string, message: string): ApiError {
  return new ApiError(EdgeErrors.serviceUnavailable, { issues: [{ path: '', code, message }] });
}
