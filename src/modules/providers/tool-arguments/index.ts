/**
 * Whether arguments are what a tool takes. Those of a discovered tool are judged in bounded time, whatever its schema says,
 * and nothing is refused that the server's own schema accepts; those of the release's own schemas are held to every word.
 */
export { checkArguments, fitsOutput } from './check-arguments.ts';
export { SettingsSchema } from './settings-schema.ts';
export { StrictSchema } from './strict-schema.ts';
