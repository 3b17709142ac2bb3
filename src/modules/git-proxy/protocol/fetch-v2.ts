import { isObjectId } from './object-id.ts';
import { BrokenFraming, DELIMITER, FLUSH, packetsIn, pktLine, textOf } from './pkt-line.ts';

/** With which version 2 is asked for. */
export const VERSION_2 = 'version=2';
const [PACK_BAND, FATAL_BAND] = [1, 3];

/** Asks where refs with a prefix stand. */
export function lsRefsRequest(prefix: string, agent: string): Buffer {
  return Buffer.concat([
    pktLine('command=ls-refs\n'),
    pktLine(`agent=${agent}`),
    pktLine('object-format=sha1'),
    DELIMITER,
    pktLine(`ref-prefix ${prefix}\n`),
    FLUSH,
  ]);
}

/** Where one ref stands by an answer to `lsRefsRequest`, which names all that begin alike; null where there is none. */
export function refIn(answer: Uint8Array, ref: string): string | null {
  const packets = packetsIn(answer);
  if (packets.at(-1)?.kind !== 'flush') throw new BrokenFraming('the list of refs does not end');
  for (const packet of packets) {
    if (packet.kind !== 'line') continue;
    const [oid = '', name] = textOf(packet.payload).split(' ');
    // A branch that nobody has committed to yet.
    if (oid === 'unborn') continue;
    if (!isObjectId(oid)) throw new BrokenFraming('a line of the list of refs is none');
    if (name === ref) return oid;
  }
  return null;
}

/** Asks for commits and their trees, without files and without what lies behind. */
export function treesRequest(oids: readonly string[], agent: string): Buffer {
  return Buffer.concat([
    pktLine('command=fetch\n'),
    pktLine(`agent=${agent}`),
    pktLine('object-format=sha1'),
    DELIMITER,
    pktLine('no-progress\n'),
    pktLine('ofs-delta\n'),
    pktLine('filter blob:none\n'),
    pktLine('deepen 1\n'),
    ...oids.map((oid) => pktLine(`want ${oid}\n`)),
    pktLine('done\n'),
    FLUSH,
  ]);
}

/** What a host sends to a fetch. */
export interface FetchedPack {
  readonly pack: Buffer;
  /** Commits behind which the host sent nothing. */
  readonly shallow: readonly string[];
}

/** The pack of an answer to `treesRequest`. Throws `BrokenFraming` where the host sent none. */
export function packIn(answer: Uint8Array): FetchedPack {
  const pieces: Buffer[] = [];
  const shallow: string[] = [];
  let section: string | undefined;
  for (const packet of packetsIn(answer)) {
    if (packet.kind !== 'line') {
      section = undefined;
      continue;
    }
    const { payload } = packet;
    if (section === 'packfile') {
      if (payload[0] === FATAL_BAND) throw new BrokenFraming('the host broke off');
      if (payload[0] === PACK_BAND) pieces.push(payload.subarray(1));
    } else if (section === undefined) {
      section = textOf(payload);
      if (section.startsWith('ERR ')) throw new BrokenFraming('the host refuses the fetch');
    } else if (section === 'shallow-info') {
      const [word, oid = ''] = textOf(payload).split(' ');
      if (word === 'shallow' && isObjectId(oid)) shallow.push(oid);
    }
  }
  if (pieces.length === 0) throw new BrokenFraming('it has no pack');
  return { pack: Buffer.concat(pieces), shallow };
}
