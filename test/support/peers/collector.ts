import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { type ExportedSpan, spansOf } from './otlp-schema.ts';

/** How the collector behaves: it takes what comes, refuses it, or never answers. */
type Manner = 'takes' | 'refuses' | 'hangs';

/** An OpenTelemetry collector that keeps what it is sent, as OTLP over HTTP in protobuf. */
export class Collector {
  manner: Manner = 'takes';
  /** All that came, undecoded. */
  readonly bodies: Buffer[] = [];
  readonly requests: { readonly path: string; readonly headers: IncomingHttpHeaders }[] = [];
  private server: Server | undefined;
  private port = 0;

  static async start(): Promise<Collector> {
    const collector = new Collector();
    await collector.listen();
    return collector;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get spans(): ExportedSpan[] {
    return this.bodies.flatMap(spansOf);
  }

  /** Listens, on the port of the time before if there was one. */
  async listen(): Promise<void> {
    this.server = createServer((request, response) => void this.receive(request, response));
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
  }

  private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    this.requests.push({ path: request.url!, headers: request.headers });
    this.bodies.push(body);
    if (this.manner === 'hangs') return;
    response.writeHead(this.manner === 'takes' ? 200 : 401, { 'content-type': 'application/x-protobuf' }).end();
  }

  /** Stops; connections are refused until it listens again. */
  async stop(): Promise<void> {
    if (!this.server!.listening) return;
    this.server!.closeAllConnections();
    await new Promise((resolve) => this.server!.close(resolve));
  }
}
