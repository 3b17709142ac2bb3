import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { Authority } from './authority.ts';

/** A request as it came. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly atMs: number;
}

/** What is answered to a request; nothing for a receiver that stays silent until its client goes away. */
type Answering = (
  request: Received,
) => number | 'hang up' | { status: number; headers: Record<string, string> } | undefined;

/** Configures a trial, which alone may reach local peers: it has no DATABASE_URL. */
export const LOCAL_TRIAL = { DATABASE_URL: '', DATABASE_DIRECT_URL: '', DATABASE_DISPATCH_URL: '' };

/** An https receiver of webhooks on this machine, and the settings by which a trial reaches it. */
export class Receiver {
  readonly received: Received[] = [];
  /** How requests are answered, by path; 204 where it says nothing. */
  readonly answers = new Map<string, Answering>();

  private constructor(
    private readonly server: ReturnType<typeof createServer>,
    readonly origin: string,
    readonly env: Readonly<Record<string, string>>,
  ) {}

  static async start(): Promise<Receiver> {
    const authority = await Authority.create();
    const server = createServer(await authority.identity(['localhost']));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const file = join(process.env.TEST_FOLDER!, `receiver-${port}.pem`);
    writeFileSync(file, authority.pem);
    const origin = `https://localhost:${port}`;
    const receiver = new Receiver(server, origin, {
      ...LOCAL_TRIAL,
      EGRESS_LOCAL_PEERS: origin,
      EGRESS_LOCAL_CA_FILE: file,
    });
    server.on('request', (request, response) => void receiver.receive(request, response));
    return receiver;
  }

  private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks = await request.setEncoding('utf8').toArray();
    const one = { path: request.url!, headers: request.headers, body: chunks.join(''), atMs: performance.now() };
    this.received.push(one);
    const answering = this.answers.get(one.path);
    const answer = answering ? answering(one) : 204;
    if (answer === undefined) return;
    if (answer === 'hang up') return void request.socket.destroy();
    const { status, headers } = typeof answer === 'number' ? { status: answer, headers: {} } : answer;
    response.writeHead(status, headers).end('never read');
  }

  /** What came at a path. */
  at(path: string): Received[] {
    return this.received.filter((each) => each.path === path);
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}

/** The body of a request, if the secret signed it; throws otherwise. */
export function verified(secret: string, { body, headers }: Received): Record<string, unknown> {
  return new Webhook(secret).verify(body, headers as Record<string, string>) as Record<string, unknown>;
}
