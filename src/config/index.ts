/**
 * Guarantees: one typed, validated object, made before anything else starts; a bad variable stops the start with one
 * line that names it.
 * Refuses: reading `process.env` anywhere else, and known example values as secrets.
 */
export { Config, databaseFromSettings, readSettings, type DatabaseConfig, type DatabaseSource } from './config.ts';
export { ConfigModule } from './config.module.ts';
export { ConfigError } from './setting.ts';
