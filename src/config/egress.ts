import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ConfigError } from './values/index.ts';
import type { Settings } from './settings.ts';

/** How requests leave the service. Never logged, because the proxy's URL may hold a password. */
export interface EgressConfig {
  /** Carries connections to public addresses; undefined to connect directly. */
  readonly proxy: URL | undefined;
  /** Exact origins that may be reached although they are local. */
  readonly localPeers: readonly string[];
  /** PEM certificates that local peers are verified with; undefined for the usual authorities. */
  readonly localCa: string | undefined;
}

/** Local peers in a deployment, where they would let tenants reach the network around it, or half of what they need. */
export function egressFaults(settings: Settings): ConfigError[] {
  const hasPeers = settings.EGRESS_LOCAL_PEERS.length > 0;
  const hasCa = settings.EGRESS_LOCAL_CA_FILE !== undefined;
  const given = [...(hasPeers ? ['EGRESS_LOCAL_PEERS'] : []), ...(hasCa ? ['EGRESS_LOCAL_CA_FILE'] : [])];
  if (settings.DATABASE_URL !== undefined)
    return given.map(
      (name) => new ConfigError(name, 'is only for trials with the embedded database; remove it, or DATABASE_URL'),
    );
  return hasCa && !hasPeers ? [new ConfigError('EGRESS_LOCAL_CA_FILE', 'needs EGRESS_LOCAL_PEERS; set it too')] : [];
}

export function egressOf(settings: Settings): EgressConfig {
  const { EGRESS_PROXY: proxy, EGRESS_LOCAL_PEERS: localPeers, EGRESS_LOCAL_CA_FILE: file } = settings;
  return {
    proxy: proxy === undefined ? undefined : new URL(proxy),
    localPeers,
    localCa: file === undefined ? undefined : certificatesIn(file),
  };
}

function certificatesIn(file: string): string {
  try {
    const pem = readFileSync(file, 'utf8');
    void new X509Certificate(pem);
    return pem;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError(
      'EGRESS_LOCAL_CA_FILE',
      `holds no readable certificate (${code ?? 'unknown error'}); name a PEM file`,
    );
  }
}
