import { ApiError, EdgeErrors } from '../errors/index.ts';

export interface AdmissionLimits {
  /** How many are admitted at once. */
  readonly size: number;
  /** How many of them one key may hold. */
  readonly share: number;
  /** How much of one key may wait, by the weight of its calls; the next one is refused at once. */
  readonly queue: number;
  /** How long one may wait. */
  readonly waitMs: number;
}

interface Waiting {
  readonly admit: () => void;
  readonly weight: number;
}

/** Those of one key: how many are admitted, and who waits, in the order of their arrival. */
interface Party {
  held: number;
  readonly waiting: Set<Waiting>;
  /** Of those that wait. */
  weight: number;
}

/**
 * Admits a bounded number of calls at once, of one key only its share; the next waits in its key's own queue. Keys that
 * wait are served in turn, so that a key with one call passes a key with many. Calls without a key, which work for all,
 * have one turn like a key and no other bound than the time.
 *
 * Not by `p-queue`, which knows no keys, nor by `bottleneck`, which can chain limiters of keys to one for all: what waits
 * for that one is served by arrival there, and not key by key.
 */
export class Admission {
  private readonly parties = new Map<string, Party>();
  /** Keys with someone waiting; the one that was served last comes last. */
  private readonly turns = new Set<string>();
  private admitted = 0;

  constructor(private readonly limits: AdmissionLimits) {}

  /** Admits at once where there is room, else as soon as there is; 503 where the queue or the patience ends. */
  enter(key: string | undefined, weight = 1): Promise<void> | undefined {
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
    return this.wait(name, party, weight);
  }

  /** Gives the place of one that was admitted to whoever is next. */
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

  private wait(name: string, party: Party, weight: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        party.waiting.delete(waiting);
        party.weight -= weight;
        if (party.waiting.size === 0) this.turns.delete(name);
        this.forgetIdle(name, party);
        reject(tooBusy());
      };
      const timer = setTimeout(giveUp, this.limits.waitMs).unref();
      const admit = () => {
        clearTimeout(timer);
        resolve();
      };
      const waiting = { admit, weight };
      party.waiting.add(waiting);
      party.weight += weight;
      this.turns.add(name);
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
    message: 'Too many of your calls wait already; try again later.',
    headers: { 'Retry-After': '1' },
  });
}
