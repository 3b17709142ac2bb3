const MINUTE_MS = 60_000;
/** Tools and executions that are watched at once; older ones are forgotten. */
const WATCHED = 50_000;

export interface Rated {
  readonly isPermitted: boolean;
  /** Whether this is the first one refused in its minute. */
  readonly isFirstRefused: boolean;
  readonly retryAfterSeconds: number;
}

/** Counts calls by key in minutes that begin with the first one. */
export class CallRate {
  private readonly windows = new Map<string, { beganAtMs: number; count: number }>();

  constructor(private readonly perMinute: number) {}

  take(key: string, nowMs: number): Rated {
    let window = this.windows.get(key);
    if (!window || nowMs - window.beganAtMs >= MINUTE_MS) {
      this.windows.delete(key);
      if (this.windows.size >= WATCHED) this.windows.delete(this.windows.keys().next().value!);
      window = { beganAtMs: nowMs, count: 0 };
      this.windows.set(key, window);
    }
    window.count += 1;
    return {
      isPermitted: window.count <= this.perMinute,
      isFirstRefused: window.count === this.perMinute + 1,
      retryAfterSeconds: Math.max(1, Math.ceil((window.beganAtMs + MINUTE_MS - nowMs) / 1_000)),
    };
  }
}
