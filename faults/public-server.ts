import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer as createProxy, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { selfSigned } from '../scripts/self-signed.ts';

/** A public address, which the service believes to call: its proxy leads every connection to this process. */
export const PUBLIC_ADDRESS = '93.184.215.14';
export const PUBLIC_PORT = 8443;
/** Every so many connections are refused by the proxy, before a byte of the request could leave. */
const REFUSES_EACH = 25;

type Answering = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/**
 * An https server at a public address, and the forward proxy of the deployment through which the service reaches it: a
 * service that does not run for trial calls nothing local. The proxy refuses a few connections.
 */
export class PublicServer {
  /** Connections that the proxy refused. */
  refused = 0;
  /** By which the service reaches it. */
  readonly env: Readonly<Record<string, string>>;
  private readonly servers: Server[] = [];
  private readonly sockets = new Set<Socket>();
  private connections = 0;

  private constructor(env: Readonly<Record<string, string>>) {
    this.env = env;
  }

  /** `hosts` are the address, or names that the service looks up as it; `folder` gets the certificate, for the service to trust. */
  static async start(folder: string, hosts: readonly string[], answer: Answering): Promise<PublicServer> {
    const caFile = join(folder, 'public-server-cert.pem');
    const identity = await selfSigned(...hosts);
    writeFileSync(caFile, identity.cert);
    const server = createServer(identity, (request, response) => {
      answer(request, response).catch(() => request.socket.destroy());
    });
    const proxy = createProxy();
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const { port } = proxy.address() as AddressInfo;
    const one = new PublicServer({
      EGRESS_PROXY: `http://127.0.0.1:${port}`,
      NODE_EXTRA_CA_CERTS: caFile,
      LOOKED_UP_HOSTS: hosts.join(' '),
      LOOKED_UP_ADDRESS: PUBLIC_ADDRESS,
    });
    one.servers.push(proxy);
    proxy.on('connect', (_request: IncomingMessage, socket: Socket, head: Buffer) => {
      const led = one.taken(socket, head);
      if (led) server.emit('connection', led);
    });
    return one;
  }

  stop(): void {
    for (const server of this.servers) server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private taken(socket: Socket, head: Buffer): Socket | undefined {
    this.sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => this.sockets.delete(socket));
    this.connections += 1;
    if (this.connections % REFUSES_EACH === 0) {
      this.refused += 1;
      socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
      return undefined;
    }
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    if (head.length > 0) socket.unshift(head);
    return socket;
  }
}
