import { ApiError, EdgeErrors } from '../errors/index.ts';

export interface AdmissionLimits {
  /** Most calls admitted at once. */
  readonly size: number;
  /** Most of them for one key. */
  readonly share: number;
  /** Most weight of calls of one key that may wait; further calls are refused at once. */
  readonly queue: number;
  /** Longest wait of a call. */
  readonly waitMs: number;
}

interface Waiting {
  readonly admit: () => void;
  readonly weight: number;
}

/** The calls of one key: how many are admitted, and those that wait, in order of arrival. */
interface Party {
  held: number;
  readonly waiting: Set<Waiting>;
  /** Total weight of the waiting calls. */
  weight: number;
}

/**
 * Admits a limited number of calls at once, and of one key only its share; further calls wait in their key's own queue.
 * Waiting keys are served in turn, so that a key with one call passes a key with many. Calls without a key, which work
 * for all, take turns as one key and are bounded only by `waitMs`.
 *
 * Does not use `p-queue`, which knows no keys, nor `bottleneck`, which can chain a limiter per key to one for all:
 * calls that wait for that one are served by arrival and not key by key.
 */
export class Admission {
  private readonly parties = new Map<string, Party>();
  /** Keys with waiting calls; the one that was served last comes last. */
  private readonly turns = new Set<string>();
  private admitted = 0;

  constructor(private readonly limits: AdmissionLimits) {}

  /** Number of calls that wait. */
  get waiting(): number {
    let waiting = 0;
    for (const name of this.turns) waiting += this.parties.get(name)!.waiting.size;
    return waiting;
  }

  /**
   * Admits at once (undefined) if there is room, otherwise as soon as there is; 503 when the queue is full or the wait
   * too long. A call whose `signal` aborts waits no longer, and gets its reason.
   */
  enter(key: string | undefined, weight = 1, signal?: AbortSignal): Promise<void> | undefined {
    const name = key ?? EVERYBODY;
    let party = this.parties.get(name);
    if (!party) {
      party = { held: 0, waiting: new Set(), weight: 0 };
      this.parties.set(name, party);
    }
    if (party.waiting.size === 0 && this.hasRoom(name, party)) {
      party.held += 1;
      this.admitted += 1;
      return undefined;
    }
    if (name !== EVERYBODY && party.weight + weight > this.limits.queue) throw tooBusy();
    return this.wait(name, party, weight, signal);
  }

  /** Ends an admitted call and admits the next. */
  leave(key: string | undefined): void {
    const name = key ?? EVERYBODY;
    const party = this.parties.get(name)!;
    party.held -= 1;
    this.admitted -= 1;
    this.admitNext();
    this.forgetIdle(name, party);
  }

  private hasRoom(name: string, { held }: Party): boolean {
    return this.admitted < this.limits.size && (name === EVERYBODY || held < this.limits.share);
  }

  private wait(name: string, party: Party, weight: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        settle();
        party.waiting.delete(waiting);
        party.weight -= weight;
        if (party.waiting.size === 0) this.turns.delete(name);
        this.forgetIdle(name, party);
        // What a signal gives as its reason is up to the caller.
        reject(signal?.aborted ? (signal.reason as Error) : tooBusy());
      };
      const timer = setTimeout(giveUp, this.limits.waitMs).unref();
      signal?.addEventListener('abort', giveUp);
      const settle = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', giveUp);
      };
      const admit = () => {
        settle();
        resolve();
      };
      const waiting = { admit, weight };
      party.waiting.add(waiting);
      party.weight += weight;
      this.turns.add(name);
      if (signal?.aborted) giveUp();
    });
  }

  private admitNext(): void {
    for (const name of this.turns) {
      const party = this.parties.get(name)!;
      if (!this.hasRoom(name, party)) continue;
      const [next] = party.waiting;
      party.waiting.delete(next!);
      party.weight -= next!.weight;
      party.held += 1;
      this.admitted += 1;
      this.turns.delete(name);
      if (party.waiting.size > 0) this.turns.add(name);
      next!.admit();
      return;
    }
  }

  private forgetIdle(name: string, party: Party): void {
    if (party.held === 0 && party.waiting.size === 0) this.parties.delete(name);
  }
}

const EVERYBODY = '';

function tooBusy(): ApiError {
  return new ApiError(EdgeErrors.serviceUnavailable, {
    message: 'Too many of your calls are waiting; send fewer at once and try again later.',
    headers: { 'Retry-After': '1' },
  });
}
