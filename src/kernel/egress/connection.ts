import { Readable } from 'node:stream';
import { type buildConnector, Client, type Dispatcher } from 'undici';
import { asHost } from './address.policy.ts';
import type { Destination } from './destination.policy.ts';
import { dialer } from './dialer.ts';
import { outgoingHeaders } from './outgoing-headers.ts';
import type { Hop } from './redirect.policy.ts';
import { Refused, refusedBy } from './refused.ts';
import type { Route } from './routes.ts';

const MAX_HEADER_BYTES = 16 * 1_024;

interface Bounds {
  /** Undefined where who reads the answer's body bounds it. */
  readonly maxBytes: number | undefined;
  readonly signal: AbortSignal;
  readonly userAgent: string | undefined;
  /** Called before the first byte of the request may leave; none does where it throws. */
  readonly onOpen: () => void;
}

/**
 * One request on a connection of its own. Nothing is pooled, so no answer, failure or session of one organization meets
 * another's, the addresses are checked for every request, and `onOpen` tells exactly when a byte may leave.
 */
export class Connection {
  private readonly client: Client;
  private readonly closed = new AbortController();
  private readonly signal: AbortSignal;
  private readonly userAgent: string | undefined;
  private isDialled = false;

  constructor(
    private readonly destination: Destination,
    private readonly route: Route,
    { maxBytes, signal, userAgent, onOpen }: Bounds,
  ) {
    this.userAgent = userAgent;
    this.signal = AbortSignal.any([signal, this.closed.signal]);
    this.client = new Client(destination.url.origin, {
      connect: (options, callback) =>
        this.dial(options, (...args) => {
          if (args[0] !== null) return callback(...args);
          try {
            onOpen();
          } catch (error) {
            args[1]?.destroy();
            return callback(refusedBy(error), null);
          }
          callback(...args);
        }),
      pipelining: 0,
      maxHeaderSize: MAX_HEADER_BYTES,
      ...(maxBytes === undefined ? {} : { maxResponseSize: maxBytes }),
      // The total time bounds them.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  request({ method, headers, body }: Hop): Promise<Dispatcher.ResponseData> {
    const { pathname, search } = this.destination.url;
    return this.client.request({
      path: `${pathname}${search}`,
      method,
      headers: outgoingHeaders(headers, this.destination.reach, this.userAgent),
      body: bodyOf(body),
      signal: this.signal,
    });
  }

  /** Destroys the socket, in whatever state it is. */
  close(): void {
    this.closed.abort();
    void this.client.destroy();
  }

  private dial(options: buildConnector.Options, callback: buildConnector.Callback): unknown {
    // undici connects again for a request that it believes unsent; what is not certain is for the caller to decide.
    if (this.isDialled) return callback(new Refused('unreachable', 'the connection was closed at once'), null);
    this.isDialled = true;
    const { address, host } = this.destination;
    const named = { ...options, ...(address === undefined ? { servername: host } : {}) };
    const connect = dialer({ addresses: this.route.addresses, ca: this.route.ca });
    // undici cancels an attempt by the socket that is returned, which its types do not mention.
    if (!this.route.tunnel) return connect(named, callback);
    return void this.dialThrough(this.route.tunnel, connect, named, callback);
  }

  private async dialThrough(
    tunnel: NonNullable<Route['tunnel']>,
    connect: buildConnector.connector,
    options: buildConnector.Options,
    callback: buildConnector.Callback,
  ): Promise<void> {
    let last: unknown;
    for (const address of this.route.addresses) {
      try {
        const socket = await tunnel(`${asHost(address)}:${options.port || '443'}`, this.signal);
        this.signal.addEventListener('abort', () => socket.destroy());
        connect({ ...options, httpSocket: socket }, callback);
        return;
      } catch (error) {
        last = error;
        if (this.signal.aborted) break;
      }
    }
    callback(refusedBy(last), null);
  }
}

/** As undici takes it. */
function bodyOf(body: Hop['body']): string | Uint8Array | Readable | null {
  if (body === undefined) return null;
  return typeof body === 'string' || body instanceof Uint8Array ? body : Readable.from(body);
}
