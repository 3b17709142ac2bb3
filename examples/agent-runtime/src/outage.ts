/** An outage is said when it has lasted this long, so that a restart of the service behind a balancer is not. */
const SAID_AFTER_MS = 1_000;

/** Says once that the service cannot be reached, since when and why, and once that it can be again. */
export class Outage {
  private readonly baseUrl: string;
  private readonly say: (line: string) => void;
  private since: number | undefined;
  private said = false;

  constructor(baseUrl: string, say: (line: string) => void) {
    this.baseUrl = baseUrl;
    this.say = say;
  }

  /** A call got no answer, or none that it can use; it was sent `waitedMs` before that was known. */
  failed(cause: string, waitedMs: number): void {
    this.since ??= Date.now() - waitedMs;
    if (this.said || Date.now() - this.since < SAID_AFTER_MS) return;
    this.said = true;
    const at = new Date(this.since).toISOString();
    this.say(`cannot reach ${this.baseUrl} since ${at}: ${cause}; trying until it answers`);
  }

  answered(): void {
    if (this.said) this.say(`reaches ${this.baseUrl} again, after ${Math.round((Date.now() - this.since!) / 1_000)} s`);
    this.since = undefined;
    this.said = false;
  }
}

const CAUSES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection is refused, so nothing listens there',
  ENOTFOUND: 'the name of the host is not found',
  EAI_AGAIN: 'the name of the host cannot be looked up at the moment',
  ECONNRESET: 'the connection was closed without an answer',
  UND_ERR_SOCKET: 'the connection was closed without an answer',
  EHOSTUNREACH: 'no route leads to the host',
  ENETUNREACH: 'no route leads to the network of the host',
  ETIMEDOUT: 'the host does not answer',
  UND_ERR_CONNECT_TIMEOUT: 'the host does not answer',
};

/** In words, why `fetch` failed. */
export function causeOf(error: unknown): string {
  const { name, message, cause } = error as Error & { readonly cause?: NodeJS.ErrnoException };
  if (name === 'TimeoutError') return 'no answer came in time';
  return CAUSES[cause?.code ?? ''] ?? cause?.message ?? message;
}
