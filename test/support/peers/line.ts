import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A way to a server that can be cut: connections break, and new ones are refused until it is mended. */
export class Line {
  readonly url: string;
  private readonly ends = new Set<Socket>();
  private isCut = false;
  private readonly stop: () => void;

  private constructor(url: string, stop: () => void) {
    this.url = url;
    this.stop = stop;
  }

  /** To the server of this address. */
  static async to(url: string): Promise<Line> {
    const { hostname, port } = new URL(url);
    const server = createServer((near) => line.join(near, connect(Number(port), hostname)));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const through = new URL(url);
    through.hostname = '127.0.0.1';
    through.port = String((server.address() as AddressInfo).port);
    const line = new Line(through.href, () => server.close());
    return line;
  }

  /** How many go over it. */
  get connections(): number {
    return this.ends.size / 2;
  }

  cut(): void {
    this.isCut = true;
    for (const end of this.ends) end.destroy();
  }

  mend(): void {
    this.isCut = false;
  }

  close(): void {
    this.cut();
    this.stop();
  }

  private join(near: Socket, far: Socket): void {
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.ends.add(one);
      one.on('error', () => undefined);
      one.on('close', () => {
        this.ends.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
    if (this.isCut) near.destroy();
  }
}
