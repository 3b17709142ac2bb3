import { ConfigError } from './config/index.ts';

/** Ends a start that cannot be: what the operator can mend is one line, anything else shows where it broke. */
export function failStart(error: unknown): never {
  process.stderr.write(`${error instanceof ConfigError ? error.message : ((error as Error).stack ?? String(error))}\n`);
  process.exit(1);
}
