import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, type Server, Socket } from 'node:net';
import { createServer as createTlsServer, getCACertificates, setDefaultCACertificates, type TLSSocket } from 'node:tls';
import { Config, type EgressConfig } from '../../../src/config/index.ts';
import { Egress, egressFetch } from '../../../src/kernel/egress/index.ts';
import { Metrics } from '../../../src/kernel/metrics/index.ts';
import type { ProviderNet } from '../../../src/modules/integrations/index.ts';
import type { TestApp } from '../test-app.ts';
import { Authority, type ServerIdentity } from './authority.ts';
import { NameServer } from './name-server.ts';

/** Answers a request of the client. */
export type Answering = (request: IncomingMessage, response: ServerResponse) => unknown;

type Connect = typeof Socket.prototype.connect;
interface ConnectOptions {
  readonly host?: string;
  readonly port: number;
  readonly lookup?: (host: string, options: { all: true }, done: (error: null, found: Found[]) => void) => void;
}
interface Found {
  readonly address: string;
}

/**
 * The world outside, on this machine: a name server, an authority that this process trusts, and servers of public
 * hosts. Connections to public addresses are led to these servers or fail, so none leaves the machine; every address to
 * which one was attempted is recorded.
 */
export class Outside {
  /** Addresses with ports, as the client asked for them. */
  readonly attempts: string[] = [];
  /** Sockets that the client opened. */
  readonly sockets: Socket[] = [];
  private readonly surrounded: (readonly [Egress, unknown])[] = [];
  private readonly routes = new Map<string, number>();
  private readonly servers: Server[] = [];
  private readonly connections = new Set<Socket>();
  private readonly trusted = getCACertificates('default');
  private readonly connect: Connect = Socket.prototype.connect;

  private constructor(
    readonly names: NameServer,
    readonly authority: Authority,
  ) {
    setDefaultCACertificates([authority.pem]);
    const { connect } = this;
    const route = (socket: Socket, options: ConnectOptions) => this.route(socket, options);
    Socket.prototype.connect = function (this: Socket, ...given: unknown[]) {
      // The database is asked for by a port and a host, or a path, and is nobody outside.
      if (typeof given[0] !== 'object') return (connect as (...args: unknown[]) => Socket).call(this, ...given);
      // `net.connect` hands over an array of its arguments.
      const [options, listener] = (Array.isArray(given[0]) ? given[0] : given) as [ConnectOptions, (() => void)?];
      const led = route(this, options);
      return led ? (connect as (...args: unknown[]) => Socket).call(this, led, listener) : this;
    };
  }

  static async start(): Promise<Outside> {
    return new Outside(await NameServer.start(), await Authority.create());
  }

  egress(config: Partial<EgressConfig> = {}, metrics = new Metrics()): Egress {
    const whole = { proxy: undefined, localPeers: [], localCa: undefined, ...config };
    return new Egress(whole, metrics, [this.names.address]);
  }

  /** Lets an application look names up here, so that its adapters reach these servers at the hosts of their providers. */
  surround({ app }: TestApp): void {
    const egress = app.get(Egress);
    this.surrounded.push([egress, Reflect.get(egress, 'routes')]);
    Reflect.set(egress, 'routes', Reflect.get(this.egress(app.get(Config).egress), 'routes'));
  }

  /** The way to hosts of a provider, as an adapter is given it. */
  net(hosts: readonly string[], totalMs = 10_000): ProviderNet {
    const limits = { totalMs, maxBytes: 4 * 1_024 * 1_024 };
    return { fetch: egressFetch(this.egress(), { hosts, limits }), signal: new AbortController().signal };
  }

  /** Answers https requests to a public host; returns its origin. */
  async host(name: string, answer: Answering, certified = name): Promise<string> {
    return this.publish(name, await this.secure(await this.authority.identity([certified]), answer));
  }

  /** Like `host`, but with the bytes of the connection after TLS in the hands of the test. */
  async rawHost(name: string, take: (socket: TLSSocket) => void): Promise<string> {
    const identity = await this.authority.identity([name]);
    return this.publish(name, await this.listen(createTlsServer(identity, take)));
  }

  /** Gives a server on this machine a public name and address; returns its origin. */
  publish(name: string, port: number): string {
    const address = `93.184.216.${this.routes.size + 1}`;
    this.lead(`${address}:443`, port);
    this.names.host(name.toLowerCase(), [address]);
    return `https://${name.toLowerCase()}`;
  }

  /** Leads connections for an address and port to a server on this machine. */
  lead(target: string, port: number): void {
    this.routes.set(target, port);
  }

  get published(): number {
    return this.routes.size;
  }

  /** Where connections for an address and port are led. */
  portOf(target: string): number | undefined {
    return this.routes.get(target);
  }

  /** Starts an https server on this machine; returns its port. */
  secure(identity: ServerIdentity, answer: Answering): Promise<number> {
    return this.listen(createHttpsServer(identity, (...given) => void answer(...given)));
  }

  /** Starts an http server on this machine; returns its port. */
  plain(answer: Answering): Promise<number> {
    return this.listen(createHttpServer((...given) => void answer(...given)));
  }

  async listen(server: Server): Promise<number> {
    this.servers.push(server);
    server.on('connection', (socket: Socket) => {
      this.connections.add(socket.on('error', () => undefined).on('close', () => this.connections.delete(socket)));
    });
    server.on('tlsClientError', () => undefined);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }

  /** Resets a connection to a server of this machine below TLS. */
  reset({ remotePort }: Socket): void {
    for (const connection of this.connections) if (connection.remotePort === remotePort) connection.resetAndDestroy();
  }

  stop(): void {
    for (const [egress, routes] of this.surrounded) Reflect.set(egress, 'routes', routes);
    Socket.prototype.connect = this.connect;
    setDefaultCACertificates(this.trusted);
    this.names.stop();
    for (const server of this.servers) server.close();
    for (const connection of this.connections) connection.destroy();
  }

  /** Where a connection really goes; undefined for nowhere. */
  private route(socket: Socket, options: ConnectOptions): ConnectOptions | undefined {
    this.sockets.push(socket);
    const { host = '', port, lookup } = options;
    let addresses = [host];
    lookup?.(host, { all: true }, (_, found) => (addresses = found.map(({ address }) => address)));
    const targets = addresses.map((address) => `${address}:${port}`);
    this.attempts.push(...targets);
    if (addresses.every((address) => address === '127.0.0.1' || address === '::1')) return options;
    const routed = targets.map((target) => this.routes.get(target)).find((each) => each !== undefined);
    if (routed !== undefined) return { host: '127.0.0.1', port: routed };
    const error = Object.assign(new Error('no route'), { code: 'ENETUNREACH' });
    process.nextTick(() => socket.destroy(error));
    return undefined;
  }
}
