import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll } from '@jest/globals';

/** What a request is answered with; `drop` closes the connection once the request was read. */
type Reply = { readonly status: number } | 'drop';

/** A provider on this machine: keeps every request by the id of its action, and answers as it is told. */
export class ActionReceiver {
  /** What is answered next, until told otherwise. */
  reply: Reply = { status: 200 };
  /** Answers wait for this, behind the reading. */
  hold: Promise<unknown> | undefined;
  readonly requests: { readonly actionId: string; readonly body: string; readonly at: number }[] = [];
  private readonly server = createServer((request, response) => void this.receive(request, response));

  async start(): Promise<void> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** How often an action arrived. */
  countOf(actionId: string): number {
    return this.requests.filter((each) => each.actionId === actionId).length;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    this.requests.push({ actionId: request.url!.slice(1), body, at: performance.now() });
    const { reply } = this;
    await this.hold;
    if (reply === 'drop') request.socket.destroy();
    else response.writeHead(reply.status, { 'content-type': 'application/json' }).end('{"done":true}');
  }
}

export function useActionReceiver(): ActionReceiver {
  const receiver = new ActionReceiver();
  beforeAll(() => receiver.start());
  afterAll(() => receiver.stop());
  return receiver;
}
