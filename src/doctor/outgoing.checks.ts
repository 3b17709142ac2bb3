import { once } from 'node:events';
import { connect } from 'node:net';
import type { Config } from '../config/index.ts';
import { requireProvider } from '../kernel/auth/index.ts';
import { Egress } from '../kernel/egress/index.ts';
import { Metrics } from '../kernel/metrics/index.ts';
import { fail, type Finding, ok, warn } from './finding.ts';

const CONNECT_LIMIT_MS = 3_000;

/** Reaches the proxy and, through it where it is public, the OpenID provider, as the service does. */
export async function* checkOutgoing({ egress, oidc }: Config): AsyncGenerator<Finding> {
  if (egress.proxy) yield await checkProxy(egress.proxy);
  if (!oidc) return;
  try {
    await requireProvider(oidc, new Egress(egress, new Metrics()));
    yield ok('OIDC_ISSUER', `the keys of ${oidc.issuer} can be read`);
  } catch (error) {
    // The service starts without its provider.
    yield warn('OIDC_ISSUER', `its tokens would be answered 503: ${(error as Error).message}`);
  }
}

async function checkProxy({ protocol, hostname, port }: URL): Promise<Finding> {
  const portOrDefault = Number(port) || (protocol === 'https:' ? 443 : 80);
  const shown = `${hostname}:${portOrDefault}`;
  const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: portOrDefault });
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(CONNECT_LIMIT_MS) });
    return ok('EGRESS_PROXY', `accepts connections at ${shown}`);
  } catch {
    return fail('EGRESS_PROXY', `no proxy answers at ${shown}; nothing would leave the service`);
  } finally {
    socket.destroy();
  }
}
