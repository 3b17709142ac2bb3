import { ConfigError } from './config/index.ts';

/** Ends a failed start: prints one line for what the operator can correct, and a stack for anything else. */
export function failStart(error: unknown): never {
  process.stderr.write(`${error instanceof ConfigError ? error.message : ((error as Error).stack ?? String(error))}\n`);
  process.exit(1);
}
