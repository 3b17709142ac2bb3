import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterAll } from '@jest/globals';

/** Ports of this machine on which these tests say what becomes of a connection; closed after them. */
export class Listeners {
  private readonly servers: Server[] = [];

  /** Answers the port. */
  async listen(serve: (socket: Socket) => unknown): Promise<string> {
    const server = createServer(serve).listen(0, '127.0.0.1');
    this.servers.push(server);
    await once(server, 'listening');
    return String((server.address() as AddressInfo).port);
  }

  /** Accepts, and says nothing. */
  silent(): Promise<string> {
    return this.listen((socket) => socket.on('error', () => undefined));
  }

  close(): void {
    for (const server of this.servers) server.close();
  }
}

export function useListeners(): Listeners {
  const listeners = new Listeners();
  afterAll(() => listeners.close());
  return listeners;
}
