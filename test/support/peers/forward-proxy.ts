import { createServer, type IncomingMessage } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { connect, type Socket } from 'node:net';
import type { ServerIdentity } from './authority.ts';
import type { Outside } from './outside.ts';

/** What a proxy was asked, as it read it. */
export interface Asked {
  readonly target: string;
  readonly headers: IncomingMessage['headers'];
}

/** How a proxy answers a wish for a tunnel; undefined to open it. */
export type Answering = (asked: Asked, socket: Socket) => string | undefined;

/** Starts a forward proxy that opens tunnels to hosts outside, and notes what it was asked; returns its port. */
export async function startForwardProxy(
  outside: Outside,
  asked: Asked[],
  { identity, answer = () => undefined }: { readonly identity?: ServerIdentity; readonly answer?: Answering } = {},
): Promise<number> {
  const server = identity ? createSecureServer(identity) : createServer();
  server.on('connect', ({ url, headers }: IncomingMessage, socket: Socket, head: Buffer) => {
    const wish = { target: url!, headers };
    asked.push(wish);
    socket.on('error', () => undefined);
    const refusal = answer(wish, socket);
    const port = outside.portOf(url!);
    if (refusal !== undefined) return void socket.write(refusal);
    if (port === undefined) return void socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    const far = connect(port, '127.0.0.1');
    far.on('error', () => socket.destroy()).on('close', () => socket.destroy());
    socket.on('close', () => far.destroy());
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    far.write(head);
    socket.pipe(far).pipe(socket);
  });
  return outside.listen(server);
}
