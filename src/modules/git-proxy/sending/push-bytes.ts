import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { AGENT } from '../git-proxy.policy.ts';
import { FLUSH, type HostCapabilities, pktLine } from '../protocol/index.ts';
import type { PushArguments } from '../push/index.ts';

/** What the service asks of a host for itself, as far as the host offers it. */
const ASKED = ['report-status', 'side-band-64k', 'object-format', 'agent'] as const;
const VALUES: Readonly<Record<string, string>> = { 'object-format': 'sha1', agent: AGENT };

/** The bytes of a pack are not those that were approved. */
export class PackDamaged extends Error {
  constructor() {
    super('The stored pack is not the one that was approved.');
    this.name = 'PackDamaged';
  }
}

/** All of a push but its pack: the shallow lines as git sends them, and one command with capabilities of our own. */
export function commandBytes({ oldOid, newOid, ref, shallow }: PushArguments, { names }: HostCapabilities): Buffer {
  const asked = ASKED.filter((name) => names.has(name));
  const capabilities = asked.map((name) => (name in VALUES ? `${name}=${VALUES[name]}` : name));
  return Buffer.concat([
    ...shallow.map((oid) => pktLine(`shallow ${oid}\n`)),
    pktLine(`${oldOid} ${newOid} ${ref}\0 ${capabilities.join(' ')}`),
    FLUSH,
  ]);
}

/**
 * The pieces of a pack. The last one is given once all of them together are known to be what was approved, so that no host
 * ever has a whole pack that is not. Throws `PackDamaged`.
 */
export async function* approvedPieces(
  { packSha256, packBytes }: Pick<PushArguments, 'packSha256' | 'packBytes'>,
  pack: Readable,
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  let bytes = 0;
  let held: Uint8Array | undefined;
  for await (const piece of pack as AsyncIterable<Uint8Array>) {
    hash.update(piece);
    bytes += piece.length;
    if (held) yield held;
    held = piece;
  }
  if (bytes !== packBytes || hash.digest('hex') !== packSha256) throw new PackDamaged();
  if (held) yield held;
}
