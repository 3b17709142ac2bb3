/**
 * An invalid setting. The process prints its message as one line and exits; it names the variable and never a secret.
 * Of several, the message has a line for each.
 */
export class ConfigError extends Error {
  readonly setting: string;
  readonly problem: string;

  constructor(setting: string, problem: string) {
    super(`${setting}: ${problem}`);
    this.name = 'ConfigError';
    this.setting = setting;
    this.problem = problem;
  }

  /** The first of them, with the messages of all. */
  static of(faults: readonly ConfigError[]): ConfigError {
    const [{ setting, problem }] = faults as [ConfigError];
    const error = new ConfigError(setting, problem);
    error.message = faults.map(({ message }) => message).join('\n');
    return error;
  }
}

/** One environment variable: how it is parsed, and its row in docs/configuration.md. */
export interface Setting<T> {
  readonly description: string;
  /** The default, as that table shows it. */
  readonly fallback: string;
  /** Secrets are never echoed in an error and may be given as a file (`NAME_FILE`). */
  readonly secret?: true;
  /** Whether it may be given as a file although it is no secret. */
  readonly file?: true;
  parse(text: string | undefined): T;
}

/** Whether a setting may be given as a file (`NAME_FILE`) too. */
export function hasFile({ secret, file }: Setting<unknown>): boolean {
  return secret === true || file === true;
}

class Unusable extends Error {}

/** Refuses a value; `readSetting` adds the variable's name. */
export function unusable(problem: string): never {
  throw new Unusable(problem);
}

type Env = Readonly<Record<string, string | undefined>>;

/** Reads one setting; empty text counts as absent, as in shells and compose files. */
export function readSetting<T>(name: string, setting: Setting<T>, env: Env, readFile: (path: string) => string): T {
  let text = env[name]?.trim() || undefined;
  const file = hasFile(setting) ? env[`${name}_FILE`]?.trim() : undefined;
  if (file) {
    if (text) throw new ConfigError(name, `is set together with ${name}_FILE; set only one of them`);
    try {
      text = readFile(file).trim();
    } catch (error) {
      throw new ConfigError(
        `${name}_FILE`,
        `cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'}); check its path and permissions`,
      );
    }
    // Not treated as absent: the service would then make its own secret or, for DATABASE_URL_FILE, store data
    // elsewhere.
    if (text === '') throw new ConfigError(`${name}_FILE`, 'names an empty file; write the secret into it');
  }
  try {
    return setting.parse(text);
  } catch (error) {
    if (error instanceof Unusable) throw new ConfigError(name, withoutCredentials(error.message));
    throw error;
  }
}

/** A value that is no secret may still be a URL with a password in it. */
function withoutCredentials(problem: string): string {
  return problem.replaceAll(/\/\/[^/\s"]*@/g, '//…@');
}
