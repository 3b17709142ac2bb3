import { Refused } from './refused.ts';

/** Ends a request when its total time is over or its caller aborts. */
export class Deadline {
  private readonly ending = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private readonly onAbort = () => this.ending.abort(new Refused('aborted', 'the caller aborted'));

  constructor(
    totalMs: number,
    private readonly callersSignal: AbortSignal | undefined,
  ) {
    this.timer = setTimeout(() => this.ending.abort(new Refused('timeout', `longer than ${totalMs} ms`)), totalMs);
    callersSignal?.addEventListener('abort', this.onAbort);
    if (callersSignal?.aborted) this.onAbort();
  }

  /** Aborts with the refusal as its reason. */
  get signal(): AbortSignal {
    return this.ending.signal;
  }

  clear(): void {
    clearTimeout(this.timer);
    this.callersSignal?.removeEventListener('abort', this.onAbort);
  }
}
