import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer as createProxy, type IncomingMessage, type ServerResponse, type Server } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { selfSigned } from '../../scripts/self-signed.ts';
import type { Random } from '../random.ts';

/** A public address, which the service believes to call: its proxy leads every connection to this process. */
const ADDRESS = '93.184.215.14';
/** Every tenth request is read, and its connection then closed. */
const DROPS_EACH = 10;
/** Every so many connections are refused by the proxy, before a byte of the request could leave. */
const REFUSES_EACH = 25;
const LONGEST_ANSWER_MS = 250;

/** A request that was read to its end, which is its effect. */
export interface Received {
  readonly actionId: string;
  /** Whether its connection was closed instead of answered. */
  readonly dropped: boolean;
  /** Whether the signature was made with the webhook's secret, of these bytes. */
  readonly signed: boolean;
}

/**
 * A receiver of webhooks at a public address, and the forward proxy of the deployment through which the service reaches it:
 * a service that does not run for trial calls nothing local. The receiver drops a tenth of the connections after it has read
 * the request; the proxy refuses a few.
 */
export class Receiver {
  readonly received: Received[] = [];
  refused = 0;
  /** As the webhook has it, once it is created. */
  secret = '';
  readonly url = `https://${ADDRESS}:8443/calls`;
  private readonly random: Random;
  private readonly servers: Server[] = [];
  private readonly sockets = new Set<Socket>();
  private arrived = 0;
  private connections = 0;

  private constructor(random: Random) {
    this.random = random;
  }

  /** `folder` gets its certificate, for the service to trust. */
  static async start(folder: string, random: Random): Promise<{ receiver: Receiver; env: Record<string, string> }> {
    const receiver = new Receiver(random);
    const identity = await selfSigned(ADDRESS);
    const caFile = join(folder, 'receiver-cert.pem');
    writeFileSync(caFile, identity.cert);
    const server = createServer(identity, (request, response) => void receiver.receive(request, response));
    const proxy = createProxy();
    proxy.on('connect', (_request: IncomingMessage, socket: Socket, head: Buffer) => {
      receiver.keep(socket);
      receiver.connections += 1;
      if (receiver.connections % REFUSES_EACH === 0) {
        receiver.refused += 1;
        return void socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
      }
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      if (head.length > 0) socket.unshift(head);
      server.emit('connection', socket);
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    receiver.servers.push(proxy);
    const { port } = proxy.address() as AddressInfo;
    return { receiver, env: { EGRESS_PROXY: `http://127.0.0.1:${port}`, NODE_EXTRA_CA_CERTS: caFile } };
  }

  stop(): void {
    for (const server of this.servers) server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private keep(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => this.sockets.delete(socket));
  }

  private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // A process that is killed while it sends closes the connection within the body: nothing has happened then.
    const body = await text(request).catch(() => undefined);
    if (body === undefined) return;
    const call = JSON.parse(body) as { type: string; data?: { actionId?: string } };
    if (call.type !== 'action.call') return void response.end();
    this.arrived += 1;
    const dropped = this.arrived % DROPS_EACH === 0;
    this.received.push({ actionId: call.data?.actionId ?? '', dropped, signed: this.isSigned(request, body) });
    await wait(this.random.between(0, LONGEST_ANSWER_MS));
    if (dropped) request.socket.destroy();
    else response.end('{}');
  }

  /** As Standard Webhooks has it: HMAC-SHA256 over id, timestamp and body, with the bytes of the secret. */
  private isSigned({ headers }: IncomingMessage, body: string): boolean {
    const key = Buffer.from(this.secret.replace(/^whsec_/, ''), 'base64');
    const signed = [headers['webhook-id'], headers['webhook-timestamp'], body].join('.');
    const signature = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
    return String(headers['webhook-signature']).split(' ').includes(signature);
  }
}
