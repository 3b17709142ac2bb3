import type { Socket } from 'node:net';
import { Client } from 'undici';
import { CONNECT_MS, dialer } from './dialer.ts';
import { USER_AGENT } from './outgoing-headers.ts';
import { Refused } from './refused.ts';

interface Tunnel {
  readonly proxy: URL;
  /** Of the proxy. */
  readonly addresses: readonly string[];
  /** An address with a port. */
  readonly target: string;
  readonly signal: AbortSignal;
}

/** Opens a tunnel through the forward proxy of the deployment, which learns the address and nothing else. */
export async function openTunnel({ proxy, addresses, target, signal }: Tunnel): Promise<Socket> {
  const client = new Client(proxy.origin, { connect: dialer({ addresses }), headersTimeout: 0, pipelining: 0 });
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(CONNECT_MS)]);
  const headers = { host: target, 'user-agent': USER_AGENT, ...credentialsFor(proxy) };
  try {
    const { statusCode, socket } = await client.connect({ path: target, headers, signal: inTime });
    if (statusCode === 200) return socket as Socket;
    socket.on('error', () => undefined).destroy();
    throw new Refused('unreachable', `the proxy answered ${statusCode}`);
  } finally {
    void client.destroy();
  }
}

function credentialsFor({ username, password }: URL): Readonly<Record<string, string>> {
  if (username === '' && password === '') return {};
  const credentials = [username, password].map((part) => decodeURIComponent(part)).join(':');
  return { 'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}` };
}
