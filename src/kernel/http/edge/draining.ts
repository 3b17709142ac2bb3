import type { Server } from 'node:http';

const SWEEP_INTERVAL_MS = 50;

/** Whether the process is going away. From then on every answer asks its client to close the connection. */
export class Draining {
  #begun = false;
  readonly #handlers: (() => void)[] = [];

  get begun(): boolean {
    return this.#begun;
  }

  begin(): void {
    if (this.#begun) return;
    this.#begun = true;
    for (const handler of this.#handlers) handler();
  }

  /** What ends then instead of holding the process up, e.g. answers that wait for something. */
  onBegin(handler: () => void): void {
    this.#handlers.push(handler);
  }
}

/**
 * Runs `close` (`app.close`), which waits for the requests in flight, and helps it along: keep-alive connections that
 * fall idle are closed as they do, all that is left is cut after `limitMs`. Never takes longer than that.
 *
 * @returns whether everything ended by itself in time.
 */
export async function closeWithin(server: Server, close: () => Promise<void>, limitMs: number): Promise<boolean> {
  // Node closes idle connections once; one that answers its last request later would hold the server open (measured).
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_INTERVAL_MS);
  const limit = Promise.withResolvers<false>();
  const timer = setTimeout(() => {
    server.closeAllConnections();
    limit.resolve(false);
  }, limitMs);
  try {
    return await Promise.race([close().then(() => true), limit.promise]);
  } finally {
    clearInterval(sweep);
    clearTimeout(timer);
  }
}
