import type { Socket } from 'node:net';
import { Client } from 'undici';
import { CONNECT_MS, dialer } from './dialer.ts';
import { USER_AGENT } from './outgoing-headers.ts';
import { Refused } from './refused.ts';

/** The forward proxy of the deployment, and credentials for it. */
export class ForwardProxy {
  private readonly headers: Readonly<Record<string, string>>;

  constructor(readonly url: URL) {
    const credentials = [url.username, url.password].map((part) => decodeURIComponent(part)).join(':');
    this.headers = {
      'user-agent': USER_AGENT,
      ...(credentials === ':' ? {} : { 'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}` }),
    };
  }

  /** Opens a tunnel to `target`, an address with a port, over a connection to one of the proxy's own addresses. */
  async tunnel(target: string, addresses: readonly string[], signal: AbortSignal): Promise<Socket> {
    const client = new Client(this.url.origin, { connect: dialer({ addresses }), headersTimeout: 0, pipelining: 0 });
    try {
      const inTime = AbortSignal.any([signal, AbortSignal.timeout(CONNECT_MS)]);
      const headers = { ...this.headers, host: target };
      const { statusCode, socket } = await client.connect({ path: target, headers, signal: inTime });
      if (statusCode === 200) return socket as Socket;
      socket.on('error', () => undefined).destroy();
      throw new Refused('unreachable', `the proxy answered ${statusCode}`);
    } finally {
      void client.destroy();
    }
  }
}
