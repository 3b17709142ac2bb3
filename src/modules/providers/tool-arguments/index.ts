/**
 * Whether arguments are what a discovered tool takes. Bounded in time, whatever the schema says; never refuses what the
 * server's own schema accepts.
 */
export { checkArguments, fitsOutput } from './check-arguments.ts';
