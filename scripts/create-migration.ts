import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from './build.ts';

/**
 * Writes the difference between the committed snapshot and the entities as a new file in `migrations`, on a server of its
 * own. What a generator cannot know is left to the author: grants, partitions, data, the class's place in the list.
 */
build();
const { startEmbeddedServer } = await import('../src/kernel/database/embedded/embedded-server.ts');
const { migrate } = await import('../dist/src/kernel/database/migrations.js' as string);
const { ormOptions } = await import('../dist/src/mikro-orm.config.js' as string);
const { MikroORM } = await import('@mikro-orm/postgresql');

const folder = mkdtempSync(join(tmpdir(), 'business-runner-migration-'));
const { url, stop } = await startEmbeddedServer({ dataDir: folder, settings: { fsync: 'off' } });
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
  await stop();
  rmSync(folder, { recursive: true, force: true });
}
