import { isObjectId } from './object-id.ts';
import { BrokenFraming, type Packet, PacketReader, textOf } from './pkt-line.ts';

/** Of all that stands before the pack. */
const MOST_COMMAND_BYTES = 64 * 1_024;
const MOST_SHALLOW = 1_000;

/** What a push asks for one ref. */
export interface RefCommand {
  readonly oldOid: string;
  readonly newOid: string;
  readonly ref: string;
}

/** All of a push but its pack. */
export interface PushCommands {
  /** Commits behind which the client's history ends, as it sent them. */
  readonly shallow: readonly string[];
  readonly commands: readonly RefCommand[];
  readonly capabilities: ReadonlySet<string>;
  /** Whether it is signed, which cannot be passed on. */
  readonly isSigned: boolean;
  /** Whether it asks whether it may push, and nothing else. */
  readonly isProbe: boolean;
}

/**
 * Reads the commands of `git-receive-pack` while they come. Throws `BrokenFraming` at what no client sends; what a client
 * may send and this service refuses is for the caller to judge.
 */
export class PushRequestReader {
  private readonly packets = new PacketReader();
  private readonly shallow = new Set<string>();
  private readonly commands: RefCommand[] = [];
  private capabilities: ReadonlySet<string> | undefined;
  private isSigned = false;
  private bytes = 0;
  private end: PushCommands | undefined;

  /** Takes bytes; the commands once they are whole. Bytes behind them are in `pack`. */
  add(bytes: Uint8Array): PushCommands | undefined {
    if (this.end) throw new TypeError('The commands are whole already.');
    this.packets.add(bytes);
    for (let packet = this.packets.next(); packet; packet = this.packets.next()) {
      this.end = this.take(packet);
      if (this.end) return this.end;
    }
    this.requireFew(this.packets.rest.length);
    return undefined;
  }

  /** What came behind the commands: the beginning of the pack. */
  get pack(): Buffer {
    return this.packets.rest;
  }

  /** The body is over before the commands are. */
  cut(): never {
    throw new BrokenFraming(this.bytes === 0 && this.packets.rest.length === 0 ? 'it is empty' : 'it has no flush');
  }

  private take(packet: Packet): PushCommands | undefined {
    if (packet.kind === 'flush') return this.whole();
    if (packet.kind !== 'line') throw new BrokenFraming('it has packets of another version of the protocol');
    this.bytes += packet.payload.length + 4;
    this.requireFew(0);
    if (this.isSigned) return undefined;
    this.takeLine(packet.payload);
    return undefined;
  }

  private takeLine(payload: Buffer): void {
    const isFirst = this.capabilities === undefined;
    const nul = payload.indexOf(0);
    const text = textOf(nul === -1 ? payload : payload.subarray(0, nul));
    if (isFirst && text.startsWith('shallow ')) return this.takeShallow(text.slice('shallow '.length));
    if (isFirst) this.capabilities = wordsOf(nul === -1 ? '' : textOf(payload.subarray(nul + 1)));
    else if (nul !== -1) throw new BrokenFraming('a later command has capabilities');
    if (isFirst && text === 'push-cert') {
      this.isSigned = true;
      return;
    }
    this.commands.push(commandIn(text));
  }

  private takeShallow(oid: string): void {
    if (!isObjectId(oid)) throw new BrokenFraming('a shallow line names no object');
    if (this.shallow.has(oid)) throw new BrokenFraming('a shallow line comes twice');
    if (this.shallow.size === MOST_SHALLOW) throw new BrokenFraming(`it has more than ${MOST_SHALLOW} shallow lines`);
    this.shallow.add(oid);
  }

  /** A signed push goes on behind its certificate, which is refused whatever it says. */
  private whole(): PushCommands {
    const { commands, isSigned, capabilities = new Set() } = this;
    const isProbe = commands.length === 0 && !isSigned;
    if (isProbe && this.shallow.size > 0) throw new BrokenFraming('it has shallow lines and no command');
    return { shallow: [...this.shallow], commands, capabilities, isSigned, isProbe };
  }

  private requireFew(pending: number): void {
    if (this.bytes + pending > MOST_COMMAND_BYTES)
      throw new BrokenFraming(`it has more than ${MOST_COMMAND_BYTES} bytes before the pack`);
  }
}

function commandIn(text: string): RefCommand {
  const [oldOid = '', newOid = '', ...name] = text.split(' ');
  const ref = name.join(' ');
  if (!isObjectId(oldOid) || !isObjectId(newOid) || ref === '') throw new BrokenFraming('a command is none');
  return { oldOid, newOid, ref };
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.split(' ').filter((word) => word !== ''));
}
