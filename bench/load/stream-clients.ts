import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

const BLANK_LINE = '\n\n';
/** What is written carries when, in milliseconds since the start of this process. */
const SENT = /@(\d+\.\d+)@/;
/** Opened together; more at once would measure the queue of connections. */
const TOGETHER = 50;

type Heard = (sentMs: number) => void;

/** The text of a message: when it is sent, filled up to a length. */
export function stamped(sentMs: number, length: number): string {
  const stamp = `@${sentMs.toFixed(3)}@`;
  return stamp + 'x'.repeat(Math.max(0, length - stamp.length));
}

/** One client of an event stream, which reads as little into it as it can. */
class StreamClient {
  lastId: string | undefined;
  isOpen = false;
  heard: Heard = () => undefined;
  private rest = '';

  readonly socket: Socket;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => this.take(chunk));
    socket.on('close', () => (this.isOpen = false));
    socket.on('error', () => undefined);
  }

  static async open(address: string, path: string, token: string, lastId?: string): Promise<StreamClient> {
    const { hostname, port } = new URL(address);
    const client = new StreamClient(connect(Number(port), hostname));
    client.socket.write(
      `GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${token}\r\n${lastId === undefined ? '' : `Last-Event-ID: ${lastId}\r\n`}\r\n`,
    );
    const [head] = (await once(client.socket, 'data')) as [string];
    if (!head.startsWith('HTTP/1.1 200')) throw new Error(`GET ${path} answered ${head.slice(0, 300)}`);
    client.isOpen = true;
    return client;
  }

  private take(chunk: string): void {
    const text = this.rest + chunk;
    const end = text.lastIndexOf(BLANK_LINE);
    this.rest = text.slice(end < 0 ? 0 : end + BLANK_LINE.length);
    if (end < 0) return;
    for (const block of text.slice(0, end).split(BLANK_LINE)) {
      const sent = SENT.exec(block);
      const id = /^(?:[\da-f]+\r\n)?id: (\S+)$/m.exec(block)?.[1];
      if (id !== undefined) this.lastId = id;
      if (sent) this.heard(Number(sent[1]));
    }
  }
}

/** The streams that this process has open, from one job to the next. */
export class StreamClients {
  private clients: StreamClient[] = [];

  /** One stream a path; answers the milliseconds that each took to begin. */
  async open(address: string, paths: readonly string[], token: string): Promise<number[]> {
    const took: number[] = [];
    for (let done = 0; done < paths.length; done += TOGETHER)
      await Promise.all(
        paths.slice(done, done + TOGETHER).map(async (path) => {
          const before = performance.now();
          this.clients.push(await StreamClient.open(address, path, token));
          took.push(performance.now() - before);
        }),
      );
    return took;
  }

  get count(): number {
    return this.clients.filter(({ isOpen }) => isOpen).length;
  }

  onHeard(heard: Heard): void {
    for (const client of this.clients) client.heard = heard;
  }

  /** From now on nothing is read on any of them. */
  stall(): void {
    for (const { socket } of this.clients) socket.pause();
  }

  /** Reads on, to the end that the service made of it, and comes back where it was; throws where either fails. */
  async comeBack(address: string, path: string, token: string): Promise<void> {
    const [client] = this.clients;
    const closed = client!.isOpen ? once(client!.socket, 'close') : undefined;
    client!.socket.resume();
    const limit = setTimeout(() => client!.socket.destroy(new Error('not cut')), 5_000);
    await closed;
    clearTimeout(limit);
    if (client!.socket.errored?.message === 'not cut') throw new Error('A client that does not read was not cut off.');
    const back = await StreamClient.open(address, path, token, client!.lastId);
    this.clients.push(back);
    for (let time = 0; back.lastId === undefined; time += 1) {
      if (time === 500) throw new Error('Nothing came to a client that came back.');
      await wait(10);
    }
  }

  async close(): Promise<void> {
    const closed = this.clients.filter(({ socket }) => !socket.closed).map(({ socket }) => once(socket, 'close'));
    for (const { socket } of this.clients) socket.destroy();
    await Promise.all(closed);
    this.clients = [];
  }
}
