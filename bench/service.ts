import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { startEmbeddedServer } from '../src/embedded/index.ts';
import { ServerProcess } from './processes.ts';

/** What the bench and the service know of each other. */
export const OWNER_TOKEN = randomBytes(32).toString('base64url');
export const SERVICE_TOKEN = randomBytes(32).toString('base64url');
const CAPABILITY_KEY = `bench:${randomBytes(32).toString('base64url')}`;
const ENCRYPTION_KEY = `bench:${randomBytes(32).toString('base64url')}`;

export interface BenchDatabase {
  readonly url: string;
  readonly folder: string;
  /** Of the server's first process, whose children are all others. */
  readonly pid: number;
  stop(): Promise<void>;
}

/**
 * A PostgreSQL of the bench's own, as durable as in production, with memory for data of a small company instead of the
 * 64 MB that the embedded server has for trying things out.
 */
export async function startDatabase(): Promise<BenchDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'business-runner-bench-'));
  chmodSync(folder, 0o755);
  const dataDir = join(folder, 'data');
  const server = await startEmbeddedServer({
    dataDir,
    settings: {
      fsync: 'on',
      synchronous_commit: 'on',
      shared_buffers: '512MB',
      max_connections: '300',
      max_wal_size: '4GB',
      // The moment of a commit, from which waits are measured.
      track_commit_timestamp: 'on',
    },
  });
  const pid = Number(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);
  return {
    url: server.url,
    folder,
    pid,
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    },
  };
}

/** The built service as an operator runs it: a process of its own with the settings of production. */
export function startService(
  { folder, url }: Pick<BenchDatabase, 'folder' | 'url'>,
  env: Readonly<Record<string, string>> = {},
  options: { readonly probed?: boolean } = {},
): Promise<ServerProcess> {
  const profile = process.env.BENCH_CPU_PROFILE;
  const flags = profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : [];
  const collector = process.env.OTEL_EXPORTER_OTLP_ENDPOINT;
  const settings = {
    // What traces cost is measured where the bench is told of a collector.
    ...(collector ? { OTEL_EXPORTER_OTLP_ENDPOINT: collector } : {}),
    DATABASE_URL: url,
    OBJECT_STORE_DIR: join(folder, 'objects'),
    OWNER_BOOTSTRAP_TOKEN: OWNER_TOKEN,
    AGENT_SERVICE_TOKENS: SERVICE_TOKEN,
    CAPABILITY_KEYS: CAPABILITY_KEY,
    ENCRYPTION_KEYS: ENCRYPTION_KEY,
    HOST: '127.0.0.1',
    PORT: '0',
    SHUTDOWN_DRAIN_SECONDS: '0',
    ...env,
  };
  return ServerProcess.start([...flags, 'scripts/run.mjs', '../dist/src/main.js'], settings, options);
}

/** The same work without the service: Fastify and `pg`. */
export function startBareFastify(url: string): Promise<ServerProcess> {
  return ServerProcess.start(['bench/baselines/bare-fastify.ts'], { DATABASE_URL: url });
}

/** An event stream without the service: Fastify, and a connection that listens. */
export function startBareEvents(url: string): Promise<ServerProcess> {
  return ServerProcess.start(['bench/baselines/bare-events.ts'], { DATABASE_URL: url }, { probed: true });
}
