import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from './build.ts';

/**
 * Writes the difference between the committed snapshot and the entities as a new file in `migrations`, using its own
 * server. Leaves to the author what a generator cannot know: grants, partitions, data, the class's place in the list.
 */
await build();
const { startEmbeddedServer } = await import('../src/embedded/index.ts');
// Uses the build, because the sources have decorators, which Node does not strip.
const { migrate } = (await import(
  built('kernel/database/migrations')
)) as typeof import('../src/kernel/database/migrations.ts');
const { ormOptions } = (await import(built('mikro-orm.config'))) as typeof import('../src/mikro-orm.config.ts');
const { MikroORM } = await import('@mikro-orm/postgresql');

const folder = mkdtempSync(join(tmpdir(), 'business-runner-migration-'));
const server = await startEmbeddedServer({ dataDir: folder, settings: { fsync: 'off' } });
const { url } = server;
try {
  await migrate(ormOptions, { url, directUrl: url, dispatchUrl: url });
  const orm = await MikroORM.init({ ...ormOptions, clientUrl: url, dbName: new URL(url).pathname.slice(1) });
  const { fileName } = await orm.migrator.create('migrations');
  await orm.close();
  console.log(
    fileName
      ? `migrations/${fileName}: take down() out, add grants, name it in migrations/index.ts, run "npm run format"`
      : 'The entities are what the committed snapshot says; there is nothing to migrate.',
  );
} finally {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}

function built(module: string): string {
  return new URL(`../dist/src/${module}.js`, import.meta.url).href;
}
