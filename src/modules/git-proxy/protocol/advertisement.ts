import { isObjectId, NO_OBJECT } from './object-id.ts';
import { BrokenFraming, FLUSH, type Packet, PacketReader, pktLine, textOf } from './pkt-line.ts';

/** What a client must not use of the host: nobody could approve it, or it would pass the proxy by. */
const TAKEN_OFF: ReadonlySet<string> = new Set(['push-options', 'push-cert', 'delete-refs', 'session-id']);
/** Of the line that has the capabilities. */
const MOST_LINES_BEFORE = 4;

/** What a host says of itself to clients that push. */
export interface HostCapabilities {
  readonly names: ReadonlySet<string>;
  readonly objectFormat: string;
}

/**
 * Rewrites what a host advertises to clients that push, while it streams: the one line with capabilities, and nothing else.
 * Packs that stand by themselves are asked for, since those are what can be verified here.
 */
export class PushAdvertisement {
  private readonly packets = new PacketReader();
  private lines = 0;
  private found: HostCapabilities | undefined;

  /** Bytes to pass on; those of a line that is not whole are kept. Throws `BrokenFraming` where there are no capabilities. */
  rewrite(bytes: Uint8Array): Buffer {
    if (this.found) return Buffer.from(bytes);
    this.packets.add(bytes);
    const passed: Buffer[] = [];
    for (let packet = this.packets.next(); packet; packet = this.packets.next()) {
      passed.push(this.rewritten(packet));
      if (this.found) return Buffer.concat([...passed, this.packets.rest]);
    }
    return Buffer.concat(passed);
  }

  /** Known once the line has passed. */
  get capabilities(): HostCapabilities | undefined {
    return this.found;
  }

  private rewritten(packet: Packet): Buffer {
    if (packet.kind === 'flush') return FLUSH;
    if (packet.kind !== 'line') throw new BrokenFraming('it is of another version of the protocol');
    const { payload } = packet;
    const nul = payload.indexOf(0);
    if (nul === -1) return this.passedOn(payload);
    const words = textOf(payload.subarray(nul + 1))
      .split(' ')
      .filter((word) => word !== '');
    this.found = capabilitiesIn(words);
    const kept = words.filter((word) => !TAKEN_OFF.has(nameOf(word)) && word !== 'no-thin');
    const text = `${[...kept, 'no-thin'].join(' ')}\n`;
    return pktLine(Buffer.concat([payload.subarray(0, nul + 1), Buffer.from(text, 'utf8')]));
  }

  /** The announcement of the service stands before. */
  private passedOn(payload: Buffer): Buffer {
    this.lines += 1;
    if (this.lines > MOST_LINES_BEFORE) throw new BrokenFraming('it has no capabilities');
    return pktLine(payload);
  }
}

function capabilitiesIn(words: readonly string[]): HostCapabilities {
  const format = words.find((word) => nameOf(word) === 'object-format');
  return { names: new Set(words.map(nameOf)), objectFormat: format?.slice('object-format='.length) ?? 'sha1' };
}

function nameOf(capability: string): string {
  return capability.split('=', 1)[0]!;
}

/** Reads an advertisement of `git-receive-pack` packet by packet, keeping one ref. */
export class AdvertisedRefReader {
  private readonly packets = new PacketReader();
  private capabilities: HostCapabilities | undefined;
  private oid: string | undefined;
  private flushes = 0;

  constructor(private readonly ref: string) {}

  add(bytes: Uint8Array): void {
    this.packets.add(bytes);
    for (let packet = this.packets.next(); packet; packet = this.packets.next()) this.take(packet);
  }

  /** Where the ref stands, null where there is none. Throws `BrokenFraming` where the advertisement is not whole. */
  get result(): { readonly capabilities: HostCapabilities; readonly oid: string | null } {
    // The announcement of the service ends with a flush of its own.
    if (!this.capabilities || this.flushes < 2 || this.packets.rest.length > 0)
      throw new BrokenFraming('the advertisement is not whole');
    return { capabilities: this.capabilities, oid: this.oid ?? null };
  }

  private take(packet: Packet): void {
    if (packet.kind === 'flush') {
      this.flushes += 1;
      return;
    }
    if (packet.kind !== 'line') throw new BrokenFraming('it is of another version of the protocol');
    const { payload } = packet;
    const nul = payload.indexOf(0);
    const text = textOf(nul === -1 ? payload : payload.subarray(0, nul));
    if (text.startsWith('# service=')) return;
    if (nul !== -1) {
      const words = textOf(payload.subarray(nul + 1))
        .split(' ')
        .filter((word) => word !== '');
      this.capabilities ??= capabilitiesIn(words);
    }
    const [oid = '', name = ''] = text.split(' ');
    if (!isObjectId(oid)) throw new BrokenFraming('a line of the advertisement is none');
    if (name === this.ref && oid !== NO_OBJECT) this.oid = oid;
  }
}
