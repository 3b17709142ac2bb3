import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import { type Answer, AUTHORITATIVE_ANSWER, decode, encode } from 'dns-packet';

/** What a name server says about a host: its addresses or another name; `silent` says nothing at all. */
export type Zone = readonly string[] | { readonly alias: string; readonly addresses: readonly string[] } | 'silent';

const NAME_ERROR = 3;

/** A name server on loopback that says what a test wants. */
export class NameServer {
  /** Questions as `host type`. */
  readonly asked: string[] = [];
  private readonly zones = new Map<string, readonly Zone[]>();
  private readonly records = new Map<string, readonly Answer[]>();

  private constructor(
    private readonly socket: Socket,
    readonly address: string,
  ) {
    socket.on('message', (message, { port, address: from }) => {
      const answer = this.answer(message);
      if (answer) socket.send(answer, port, from);
    });
  }

  static async start(): Promise<NameServer> {
    const socket = createSocket('udp4').bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return new NameServer(socket, `127.0.0.1:${socket.address().port}`);
  }

  /** Answers about a host; of several zones each look-up gets the next one, and further ones the last. */
  host(name: string, ...zones: readonly Zone[]): void {
    this.zones.set(name, zones);
  }

  /** Answers about the servers of a service, such as `_imaps._tcp.acme.example`. */
  service(name: string, ...servers: readonly { readonly target: string; readonly port: number }[]): void {
    const answers = servers.map((data): Answer => ({
      type: 'SRV',
      name,
      ttl: 1,
      data: { priority: 0, weight: 0, ...data },
    }));
    this.records.set(`${name} SRV`, answers);
  }

  /** Answers about the texts of a name. */
  texts(name: string, ...texts: readonly string[]): void {
    this.records.set(
      `${name} TXT`,
      texts.map((data): Answer => ({ type: 'TXT', name, ttl: 1, data })),
    );
  }

  stop(): void {
    this.socket.close();
  }

  private answer(message: Buffer): Buffer | undefined {
    const { id, questions = [] } = decode(message);
    const { name, type } = questions[0]!;
    const question = `${name} ${type}`;
    const before = this.asked.filter((each) => each === question).length;
    this.asked.push(question);
    const records = this.records.get(question);
    if (records)
      return encode({ type: 'response', id: id!, flags: AUTHORITATIVE_ANSWER, questions, answers: [...records] });
    const zones = type === 'A' || type === 'AAAA' ? this.zones.get(name) : undefined;
    const zone = zones && (zones[before] ?? zones.at(-1));
    if (zone === 'silent') return undefined;
    const answers = zone === undefined ? [] : answersOf(name, type, zone);
    return encode({
      type: 'response',
      id: id!,
      flags: AUTHORITATIVE_ANSWER | (zone === undefined ? NAME_ERROR : 0),
      questions,
      answers,
    });
  }
}

function answersOf(name: string, type: string, zone: Exclude<Zone, 'silent'>): Answer[] {
  const ttl = 1;
  const [alias, addresses] = 'alias' in zone ? [zone.alias, zone.addresses] : [undefined, zone];
  const ofType = addresses.filter((address) => (type === 'AAAA') === isIPv6(address));
  return [
    ...(alias === undefined ? [] : [{ type: 'CNAME' as const, name, ttl, data: alias }]),
    ...ofType.map((data) => ({ type: type as 'A' | 'AAAA', name: alias ?? name, ttl, data })),
  ];
}
