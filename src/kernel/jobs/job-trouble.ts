import { databaseError } from '../database/index.ts';

/** What the log says of a failing job, where it says anything. */
export interface Trouble {
  readonly level: 'error' | 'warn';
  readonly message: string;
  readonly stack?: string | undefined;
}

/**
 * The failures of one job in a row. Only the first of a kind is told, because a job that fails every second would fill the
 * log with one stack; all failures of a database that is away are one kind.
 */
export class JobTrouble {
  private readonly told = new Set<string>();
  private failures = 0;
  private sinceMs = 0;

  constructor(private readonly name: string) {}

  /** What to say of a failure; undefined for one of a kind that was told already. */
  failed(thrown: unknown, nowMs: number): Trouble | undefined {
    if (this.failures === 0) this.sinceMs = nowMs;
    this.failures += 1;
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    const away = databaseError(error) !== undefined;
    const kind = away ? 'database' : kindOf(error);
    if (this.told.has(kind)) return undefined;
    this.told.add(kind);
    const message = `${this.name} pauses until it succeeds again: ${error.message}`;
    return away ? { level: 'warn', message } : { level: 'error', message, stack: error.stack };
  }

  /** What to say of a success; undefined where the one before was none of trouble. */
  succeeded(nowMs: number): string | undefined {
    if (this.failures === 0) return undefined;
    const seconds = Math.round((nowMs - this.sinceMs) / 1_000);
    const message = `${this.name} works again after ${this.failures} failures in ${seconds} s`;
    this.told.clear();
    this.failures = 0;
    return message;
  }
}

/** The place where it was thrown; its message may differ each time. */
function kindOf({ name, stack = '' }: Error): string {
  return `${name} ${/^\s+at .*$/m.exec(stack)?.[0] ?? ''}`;
}
