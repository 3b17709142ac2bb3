import { createHmac } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { PUBLIC_ADDRESS, PUBLIC_PORT, PublicServer } from '../public-server.ts';
import type { Random } from '../random.ts';

/** Every tenth request is read, and its connection then closed. */
const DROPS_EACH = 10;
const LONGEST_ANSWER_MS = 250;

/** A request that was read to its end, which is its effect. */
export interface Received {
  readonly actionId: string;
  /** Whether its connection was closed instead of answered. */
  readonly dropped: boolean;
  /** Whether the signature was made with the webhook's secret, of these bytes. */
  readonly signed: boolean;
}

/** A receiver of webhooks that drops a tenth of the connections after it has read the request. */
export class Receiver {
  readonly received: Received[] = [];
  /** As the webhook has it, once it is created. */
  secret = '';
  readonly url = `https://${PUBLIC_ADDRESS}:${PUBLIC_PORT}/calls`;
  private readonly random: Random;
  private server!: PublicServer;
  private arrived = 0;

  private constructor(random: Random) {
    this.random = random;
  }

  /** `folder` gets its certificate, for the service to trust. */
  static async start(folder: string, random: Random): Promise<Receiver> {
    const receiver = new Receiver(random);
    receiver.server = await PublicServer.start(folder, [PUBLIC_ADDRESS], (request, response) =>
      receiver.receive(request, response),
    );
    return receiver;
  }

  /** By which the service reaches it. */
  get env(): Readonly<Record<string, string>> {
    return this.server.env;
  }

  stop(): void {
    this.server.stop();
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
