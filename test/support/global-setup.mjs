import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, isStale } from '../../scripts/build.ts';
import { startEmbeddedServer } from '../../src/embedded/index.ts';
import { bundleService } from './processes/bundle-service.mjs';

/**
 * One PostgreSQL for the run, with a migrated template that each worker clones. Runs outside Jest's module registry, so
 * it takes the build where sources have decorators. In a run of all tests, or with BUNDLED=yes, the service is bundled for those
 * that start it as a process; for a few files that would take longer than it saves.
 */
export default async function globalSetup(run) {
  if (isStale()) await build();
  const folder = mkdtempSync(join(tmpdir(), 'business-runner-test-'));
  const server = await startEmbeddedServer({
    dataDir: folder,
    database: 'template_business_runner',
    settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '300' },
  });
  const { migrate } = await import('../../dist/src/kernel/database/migrations.js');
  const { ormOptions } = await import('../../dist/src/mikro-orm.config.js');
  await migrate(ormOptions, { url: server.url, directUrl: server.url, dispatchUrl: server.url });
  process.env.TEST_DATABASE_URL = server.url;
  process.env.TEST_FOLDER = folder;
  if ((process.env.BUNDLED ?? (run?.nonFlagArgs.length === 0 ? 'yes' : 'no')) === 'yes')
    process.env.SERVICE_PROGRAM = await bundleService(folder);
  globalThis.testServer = server;
}
