import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';

/** For one connection: TCP to the first of its addresses that answers, and TLS. */
export const CONNECT_MS = 5_000;

interface Dial {
  readonly addresses: readonly string[];
  /** Authorities in PEM, instead of the usual ones. */
  readonly ca?: string | undefined;
}

/**
 * Connects to these addresses only: where a name would be looked up, they are the answer. The certificate is verified
 * for the name, whatever the environment says; sessions are not resumed, so that each connection proves itself.
 */
export function dialer({ addresses, ca }: Dial): buildConnector.connector {
  const answers = addresses.map((address) => ({ address, family: isIP(address) }));
  const lookup: LookupFunction = (_, { all }, done) => {
    if (all) done(null, answers);
    else done(null, answers[0]!.address, answers[0]!.family);
  };
  return buildConnector({
    lookup,
    autoSelectFamily: true,
    rejectUnauthorized: true,
    ...(ca === undefined ? {} : { ca }),
    allowH2: false,
    maxCachedSessions: 0,
    timeout: CONNECT_MS,
  });
}
