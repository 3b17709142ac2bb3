import { Config, ConfigError, deploymentFromSettings, readSettings } from './config/index.ts';
import { migrate } from './kernel/database/index.ts';
import { failStart } from './fail-start.ts';
import { ormOptions } from './mikro-orm.config.ts';

/** Applies the missing migrations and ends: for deployments with `MIGRATE_ON_START=off`. */
try {
  const settings = readSettings(process.env);
  const source = deploymentFromSettings(settings);
  if (!source)
    throw new ConfigError('DATABASE_URL', 'is required; the embedded database migrates itself when the service starts');
  await migrate(ormOptions, new Config(settings, source).database);
} catch (error) {
  failStart(error);
}
