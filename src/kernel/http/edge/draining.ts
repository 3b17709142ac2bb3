import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { InFlight } from './in-flight.ts';

const SWEEP_INTERVAL_MS = 50;
/** How long open connections may take to send their request. */
const ARRIVAL_MS = 500;
/** After this long without a new connection, none waits to be accepted. */
const CALM_MS = 50;
/** How long clients that are still sending may take to read the 503. */
const LINGER_MS = 1_000;

/**
 * How far the shutdown has come. First (`leave`) the process reports that it is not ready, and every answer asks its
 * client to close the connection, but all requests are answered, until load balancers have noticed. Then (`begin`) it
 * ends requests that wait.
 */
export class Draining {
  readonly inFlight = new InFlight();
  #leaving = false;
  #begun = false;
  readonly #handlers: (() => void)[] = [];

  get leaving(): boolean {
    return this.#leaving;
  }

  get begun(): boolean {
    return this.#begun;
  }

  leave(): void {
    this.#leaving = true;
  }

  begin(): void {
    if (this.#begun) return;
    this.leave();
    this.#begun = true;
    for (const handler of this.#handlers) handler();
  }

  /**
   * Registers what ends when draining begins, such as answers that wait for something, so that it does not delay the
   * shutdown.
   */
  onBegin(handler: () => void): void {
    this.#handlers.push(handler);
  }
}

/**
 * Runs `close` (`app.close`), which takes no new connections and waits for the requests in flight, and bounds it:
 * closes connections as they become idle, answers 503 to requests that still run after `limitMs`, and cuts all that is
 * left a second later.
 *
 * Node's own close destroys connections whose request is still arriving: of 400 new connections 160 to 191 were reset
 * unread (measured). So connections get a moment to send their request, and those that the kernel has accepted for the
 * process are taken first.
 *
 * @returns whether all requests ended by themselves in time.
 */
export async function closeWithin(
  { inFlight }: Draining,
  server: Server,
  close: () => Promise<void>,
  limitMs: number,
): Promise<boolean> {
  const stopping = new AbortController();
  const limit = sleep(limitMs, false as const, { signal: stopping.signal }).catch(() => false as const);
  await calmOf(server, Math.min(ARRIVAL_MS, limitMs));
  const closeIdle = server.closeIdleConnections.bind(server);
  const idleFromMs = performance.now() + ARRIVAL_MS;
  // Node's `close` calls this once only; a connection that answers its last request later would keep the server open
  // (measured).
  server.closeIdleConnections = () => {
    if (performance.now() >= idleFromMs) closeIdle();
  };
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_INTERVAL_MS);
  const closed = close().then(() => true as const);
  try {
    if (await Promise.race([closed, limit])) return true;
    inFlight.refuseAll();
    await Promise.race([closed, sleep(LINGER_MS, false, { signal: stopping.signal })]);
    return false;
  } finally {
    server.closeAllConnections();
    stopping.abort();
    clearInterval(sweep);
  }
}

/** Waits until no new connection came for `CALM_MS`. */
async function calmOf(server: Server, atMostMs: number): Promise<void> {
  const untilMs = performance.now() + atMostMs;
  let calm = false;
  const noted = () => (calm = false);
  server.on('connection', noted);
  while (!calm && performance.now() < untilMs) {
    calm = true;
    await sleep(CALM_MS);
  }
  server.off('connection', noted);
}
