/**
 * Whether arguments are what a discovered tool takes, on a schema built anew from a list of keywords. Bounded in what it
 * compiles and compares; never refuses what the server's own schema accepts.
 */
export { checkArguments, fitsOutput } from './check-arguments.ts';
