import { ConfigError } from '../config/index.ts';

/** What the doctor says about one thing, in one line. */
export interface Finding {
  readonly level: 'ok' | 'warn' | 'FAIL';
  /** The setting to correct, or what was looked at. */
  readonly about: string;
  readonly text: string;
}

export function ok(about: string, text: string): Finding {
  return { level: 'ok', about, text };
}

export function warn(about: string, text: string): Finding {
  return { level: 'warn', about, text };
}

export function fail(about: string, text: string): Finding {
  return { level: 'FAIL', about, text };
}

/** The finding of a check that threw: the same line as that of a start that is refused. */
export function failure(about: string, error: unknown): Finding {
  if (error instanceof ConfigError) return fail(error.setting, error.problem);
  const { code, message } = error as NodeJS.ErrnoException;
  return fail(about, `cannot be checked: ${message}${code === undefined ? '' : ` (${code})`}`);
}
