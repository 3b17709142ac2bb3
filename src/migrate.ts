import { resolve } from 'node:path';
import { Config, deploymentFromSettings, readSettings } from './config/index.ts';
import { startEmbeddedDatabase } from './embedded/index.ts';
import { failStart } from './fail-start.ts';
import { migrate } from './kernel/database/index.ts';
import { ormOptions } from './mikro-orm.config.ts';

/** Applies the missing migrations and exits, for deployments with `MIGRATE_ON_START=off`. */
try {
  const settings = readSettings(process.env);
  const described = deploymentFromSettings(settings);
  if (described) await migrate(ormOptions, new Config(settings, described).database);
  else {
    const server = await startEmbeddedDatabase(resolve(settings.DATA_DIR));
    const { url } = server;
    try {
      await migrate(ormOptions, { url, directUrl: url, dispatchUrl: url });
    } finally {
      await server.stop();
    }
  }
} catch (error) {
  failStart(error);
}
