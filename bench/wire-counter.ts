import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** What went over the wire: exact, and the same on any machine. */
export interface Traffic {
  /** Times that the client waited for the server to be ready again. */
  readonly roundTrips: number;
  readonly statements: number;
  /** Ready states outside of a transaction: each is the end of one. */
  readonly commits: number;
}

const QUERY = 'Q';
const EXECUTE = 'E';
const SYNC = 'S';
const READY_FOR_QUERY = 'Z';
const IDLE = 'I'.charCodeAt(0);

/** A PostgreSQL server's neighbour that passes everything on and counts messages of the protocol. */
export class WireCounter {
  private traffic = { roundTrips: 0, statements: 0, commits: 0 };
  private readonly sockets = new Set<Socket>();
  private readonly server: Server;
  readonly url: string;

  private constructor(server: Server, url: string) {
    this.server = server;
    this.url = url;
  }

  static async start(databaseUrl: string): Promise<WireCounter> {
    const target = new URL(databaseUrl);
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = new URL(databaseUrl);
    url.port = String((server.address() as AddressInfo).port);
    const counter = new WireCounter(server, url.href);
    server.on('connection', (client) => counter.pass(client, connect(Number(target.port), target.hostname)));
    return counter;
  }

  /** What has been counted since the last time. */
  take(): Traffic {
    const { traffic } = this;
    this.traffic = { roundTrips: 0, statements: 0, commits: 0 };
    return traffic;
  }

  close(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private pass(client: Socket, server: Socket): void {
    // The first message of a client has no type; what follows until the server is ready is the login.
    let loggedIn = false;
    const fromClient = new Messages(true, (type) => {
      if (!loggedIn) return;
      if (type === SYNC || type === QUERY) this.traffic.roundTrips += 1;
      if (type === EXECUTE || type === QUERY) this.traffic.statements += 1;
    });
    const fromServer = new Messages(false, (type, first) => {
      if (type !== READY_FOR_QUERY) return;
      if (loggedIn && first === IDLE) this.traffic.commits += 1;
      loggedIn = true;
    });
    for (const [from, to, messages] of [
      [client, server, fromClient],
      [server, client, fromServer],
    ] as const) {
      this.sockets.add(from);
      from.setNoDelay(true);
      from.on('data', (chunk) => {
        messages.read(chunk as Buffer);
        to.write(chunk);
      });
      from.on('error', () => to.destroy());
      from.on('close', () => {
        this.sockets.delete(from);
        to.destroy();
      });
    }
  }
}

/** Finds where messages begin in a stream: a type of one byte, then a length of four that counts itself. */
class Messages {
  private rest: Buffer = Buffer.alloc(0);
  private typed: boolean;
  private readonly found: (type: string, first: number) => void;

  constructor(untypedFirst: boolean, found: (type: string, first: number) => void) {
    this.typed = !untypedFirst;
    this.found = found;
  }

  read(chunk: Buffer): void {
    this.rest = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk]);
    for (;;) {
      const head = this.typed ? 1 : 0;
      if (this.rest.length < head + 4) return;
      const length = head + this.rest.readUInt32BE(head);
      if (this.rest.length < length) return;
      if (this.typed) this.found(String.fromCharCode(this.rest[0]!), this.rest[5] ?? 0);
      this.typed = true;
      this.rest = this.rest.subarray(length);
    }
  }
}
