/** A setting that cannot be used. Its message is the one line that the start prints: it names the variable and never a secret. */
export class ConfigError extends Error {
  constructor(name: string, problem: string) {
    super(`${name}: ${problem}`);
    this.name = 'ConfigError';
  }
}

/** One environment variable: how it is read, and what the table in docs/configuration.md says of it. */
export interface Setting<T> {
  readonly description: string;
  /** What holds without it, in the words of that table. */
  readonly fallback: string;
  /** Secrets are never echoed in an error and may be given as a file (`NAME_FILE`). */
  readonly secret?: true;
  parse(text: string | undefined): T;
}

class Unusable extends Error {}

/** Refuses a value: the reader adds the variable's name. */
export function unusable(problem: string): never {
  throw new Unusable(problem);
}

type Env = Readonly<Record<string, string | undefined>>;

/** Reads one setting; empty text counts as absent, as it does in shells and compose files. */
export function readSetting<T>(name: string, setting: Setting<T>, env: Env, readFile: (path: string) => string): T {
  let text = env[name]?.trim() || undefined;
  const file = setting.secret ? env[`${name}_FILE`]?.trim() : undefined;
  if (file) {
    if (text) throw new ConfigError(name, `is set, and so is ${name}_FILE; set one of them`);
    try {
      text = readFile(file).trim();
    } catch (error) {
      throw new ConfigError(
        `${name}_FILE`,
        `cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`,
      );
    }
    // A secret that was never filled in; as if absent it would be made up, or with DATABASE_URL_FILE data be kept elsewhere.
    if (text === '') throw new ConfigError(`${name}_FILE`, 'names an empty file');
  }
  try {
    return setting.parse(text);
  } catch (error) {
    if (error instanceof Unusable) throw new ConfigError(name, error.message);
    throw error;
  }
}
