import { createServer, type TLSSocket } from 'node:tls';
import { setTimeout as wait } from 'node:timers/promises';
import { type Document, Long, ObjectId } from 'mongodb';
import { Aggregator, Query } from 'mingo';
import { type Egress, egressSockets } from '../../../../src/kernel/egress/index.ts';
import type { ProviderAccess, ProviderNet } from '../../../../src/modules/integrations/index.ts';
import type { Outside } from '../outside.ts';
import { explainCall, type PeerIndex } from './explained-calls.ts';
import { ScramExchange } from './scram.ts';
import { replyTo, type WireCommand, WireReader } from './wire-messages.ts';

export interface PeerCollection {
  readonly documents: Document[];
  readonly indexes: PeerIndex[];
  readonly type?: 'collection' | 'view' | 'timeseries';
}

/** What becomes of a command: an error of the server, nothing at all, the end of its connection, raw bytes, or an answer. */
export type Mishap = { readonly code: number; readonly errmsg?: string } | 'silent' | 'cut' | Buffer | Document;

/** What the driver sends; anything else is a fault. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  find: ['filter', 'projection', 'sort', 'limit', 'batchSize', 'singleBatch', 'hint', 'maxTimeMS', 'readConcern'],
  aggregate: ['pipeline', 'cursor', 'hint', 'maxTimeMS', 'readConcern'],
  explain: ['verbosity', 'maxTimeMS'],
  listCollections: ['filter', 'cursor', 'nameOnly', 'authorizedCollections'],
  listIndexes: ['cursor', 'maxTimeMS'],
  ping: [],
  connectionStatus: ['showPrivileges'],
  killCursors: ['cursors'],
  endSessions: [],
};
const READS = ['find', 'listCollections', 'listIndexes', 'collStats'];

/**
 * A server of a document database for the real driver: real DNS (SRV, TXT, A), real TLS by the authority of the test,
 * SCRAM-SHA-256, OP_MSG with BSON, filters and groups by `mingo`. It fails closed: a command, an option or a projection that
 * the adapter should never send is a fault. It does NOT prove what a planner chooses: `explain` is written by hand from a list
 * of indexes, or by the test; and it returns whole documents, whatever the projection says, so that what comes out was cut by
 * the adapter. Nothing here knows more than `providers/document-db.md` of the design.
 */
export class DocumentDbPeer {
  readonly host: string;
  /** The public one of its server. */
  address = '';
  readonly collections = new Map<string, PeerCollection>();
  readonly users = new Map<string, { readonly password: string; readonly actions: readonly string[] }>();
  /** Commands after the login, without the monitor's. */
  readonly commands: Document[] = [];
  readonly faults: string[] = [];
  /** Connections that came so far, and logins. */
  connections = 0;
  logins = 0;
  /** Commands that are being answered now, and the most at once so far. */
  active = 0;
  mostActive = 0;
  /** What the next answers to `explain` are, in place of those by hand; every hint is then one that there is. */
  explained: Document | undefined;
  /** What becomes of commands, by name. */
  readonly mishaps = new Map<string, Mishap>();
  /** How long each answer takes. */
  slowMs = 0;
  /** What a server says of its role. */
  hello: Document = {};
  private readonly sockets = new Set<TLSSocket>();
  private egress: Egress | undefined;

  private constructor(
    private readonly outside: Outside,
    readonly domain: string,
    name: string,
  ) {
    this.host = `${name}.${domain}`;
  }

  /** A cluster with one server, `<name>-shard-0`, at the domain. */
  static async start(outside: Outside, name = 'shop', domain = 'ab1cd.mongodb.net'): Promise<DocumentDbPeer> {
    const peer = new DocumentDbPeer(outside, domain, name);
    const identity = await outside.authority.identity([peer.server]);
    const port = await outside.listen(createServer(identity, (socket) => peer.serve(socket)));
    const address = `93.184.217.${outside.published + 1}`;
    peer.address = address;
    outside.lead(`${address}:27017`, port);
    outside.names.host(peer.server, [address]);
    outside.names.service(`_mongodb._tcp.${peer.host}`, { target: peer.server, port: 27_017 });
    outside.names.texts(peer.host, 'authSource=admin&replicaSet=atlas-1');
    return peer;
  }

  /** The name of its server, which is that of its certificate. */
  get server(): string {
    return `${this.host.split('.')[0]}-shard-0.${this.domain}`;
  }

  /** As if it had just started, with nothing in it. */
  reset(): void {
    this.collections.clear();
    this.users.clear();
    this.mishaps.clear();
    this.explained = undefined;
    this.slowMs = 0;
    this.hello = {};
    this.forget();
  }

  /** Forgets what was asked so far. */
  forget(): void {
    this.commands.length = 0;
    [this.connections, this.logins, this.mostActive] = [0, 0, 0];
  }

  named(command: string): readonly Document[] {
    return this.commands.filter((each) => Object.keys(each)[0] === command);
  }

  /** The way out of one connector, as an adapter is given it. */
  net({ signal, connector = 'connector', blockedDomains = [] }: NetOptions = {}): ProviderNet {
    const ending = signal ?? new AbortController().signal;
    const organization = { id: 'organization', blockedDomains };
    this.egress ??= this.outside.egress();
    const sockets = egressSockets(this.egress, { organization, places: connector, signal: ending })!;
    return { fetch, signal: ending, sockets: { ...sockets, connector: [connector, ...blockedDomains].join(' ') } };
  }

  /** How an adapter is told who asks. */
  access(given: Readonly<Record<string, string>> = {}): ProviderAccess {
    const [username = '', user] = [...this.users][0] ?? [];
    const secret = { kind: 'srv', clusterHost: this.host, username, password: user?.password ?? '', ...given } as const;
    return { endpoint: null, secret, mcp: null };
  }

  /** Connections that stand now. */
  get open(): number {
    return this.sockets.size;
  }

  /** Breaks every connection off. */
  cut(): void {
    for (const socket of this.sockets) this.outside.reset(socket);
  }

  private serve(socket: TLSSocket): void {
    this.connections += 1;
    this.sockets.add(socket.on('error', () => undefined).on('close', () => this.sockets.delete(socket)));
    const reader = new WireReader();
    const login: Login = { exchange: undefined, username: undefined };
    socket.on('data', (piece: Buffer) => {
      for (const command of reader.read(piece)) void this.take(socket, command, login);
    });
  }

  private async take(socket: TLSSocket, command: WireCommand, login: Login): Promise<void> {
    const [name = ''] = Object.keys(command.body);
    const isHandshake = ['ismaster', 'hello', 'saslStart', 'saslContinue'].includes(name);
    if (!isHandshake) {
      this.commands.push(command.body);
      this.active += 1;
      this.mostActive = Math.max(this.mostActive, this.active);
    }
    const mishap = this.mishaps.get(name);
    const { maxTimeMS } = command.body as { readonly maxTimeMS?: number };
    const isLate = !isHandshake && maxTimeMS !== undefined && this.slowMs > maxTimeMS;
    if (!isHandshake && this.slowMs > 0) await wait(isLate ? maxTimeMS : this.slowMs);
    if (!isHandshake) this.active -= 1;
    if (mishap === 'silent') return;
    if (mishap === 'cut') return this.outside.reset(socket);
    if (Buffer.isBuffer(mishap)) return void socket.write(mishap);
    const answer = isLate ? errorOf(50) : (mishap && outcomeOf(mishap)) || this.answer(name, command.body, login);
    socket.write(replyTo(command, answer));
  }

  private answer(name: string, body: Document, login: Login): Document {
    try {
      if (name === 'ismaster' || name === 'hello') return this.helloFor(body, login);
      if (name === 'saslContinue') return this.loggedIn(body, login);
      if (login.username === undefined) return errorOf(13);
      return this.answerTo(name, body, login.username);
    } catch (error) {
      this.faults.push(`${name}: ${String(error)}`);
      return errorOf(9);
    }
  }

  private helloFor(body: Document, login: Login): Document {
    const { speculativeAuthenticate: speculative } = body;
    if (speculative && speculative.db !== 'admin') this.faults.push(`a login at ${String(speculative.db)}`);
    if (body.client && body.client.application?.name !== 'service-integration')
      this.faults.push('a client without its name');
    if (speculative) login.exchange = new ScramExchange(String(speculative.payload));
    return {
      helloOk: true,
      ismaster: true,
      isWritablePrimary: true,
      setName: 'atlas-1',
      hosts: [`${this.server}:27017`],
      me: `${this.server}:27017`,
      primary: `${this.server}:27017`,
      maxBsonObjectSize: 16_777_216,
      maxMessageSizeBytes: 48_000_000,
      maxWriteBatchSize: 100_000,
      minWireVersion: 0,
      maxWireVersion: 25,
      ...(body.saslSupportedMechs ? { saslSupportedMechs: ['SCRAM-SHA-256'] } : {}),
      ...(login.exchange
        ? { speculativeAuthenticate: { conversationId: 1, done: false, payload: Buffer.from(login.exchange.answer) } }
        : {}),
      ...this.hello,
      ok: 1,
    };
  }

  private loggedIn({ payload }: Document, login: Login): Document {
    const { exchange } = login;
    const user = exchange && this.users.get(exchange.username);
    const proof = exchange?.finish(String(payload), user?.password ?? '');
    if (!user || proof === undefined) return errorOf(18);
    login.username = exchange.username;
    this.logins += 1;
    return { conversationId: 1, done: true, payload: Buffer.from(proof), ok: 1 };
  }

  private answerTo(name: string, body: Document, username: string): Document {
    const fields = FIELDS[name];
    if (!fields) throw new Error('a command that nobody sends');
    const other = Object.keys(body).find((key) => key !== name && !key.startsWith('$') && !fields.includes(key));
    if (other) throw new Error(`an option ${other} that nobody sends`);
    switch (name) {
      case 'connectionStatus':
        return {
          authInfo: {
            authenticatedUsers: [{ user: username, db: 'admin' }],
            authenticatedUserPrivileges: [
              { resource: { db: 'shop', collection: '' }, actions: [...this.users.get(username)!.actions] },
            ],
          },
          ok: 1,
        };
      case 'listCollections':
        if (body.authorizedCollections !== true || body.nameOnly !== true) throw new Error('names of all collections');
        return batchOf(
          body,
          '$cmd.listCollections',
          [...this.collections].map(([each, { type = 'collection' }]) => ({ name: each, type })),
        );
      case 'listIndexes':
        return this.withCollection(body.listIndexes, ({ indexes }) => batchOf(body, body.listIndexes, indexes));
      case 'explain': {
        if (body.verbosity !== 'queryPlanner') throw new Error('an explanation that runs what it explains');
        if ((body.explain as Document).readConcern) throw new Error('an explanation under a read concern');
        return this.explained ?? this.run(body.explain as Document, true);
      }
      case 'find':
      case 'aggregate':
        return this.run(body, false);
      default:
        return { ok: 1 };
    }
  }

  private run(body: Document, isExplained: boolean): Document {
    const name: string = body.find ?? body.aggregate;
    const collection = this.collections.get(name) ?? { documents: [], indexes: [] };
    const { hint } = body as { readonly hint?: string };
    const isKnown = hint === undefined || this.explained || collection.indexes.some((index) => index.name === hint);
    if (!isKnown) return { ...errorOf(2), errmsg: 'hint provided does not correspond to an existing index' };
    if (isExplained) return explainCall(body, collection);
    const found = body.find === undefined ? piped(collection.documents, body) : foundBy(collection.documents, body);
    return batchOf(body, name, found);
  }

  private withCollection(name: string, answer: (collection: PeerCollection) => Document): Document {
    const collection = this.collections.get(name);
    return collection ? answer(collection) : errorOf(26);
  }
}

interface NetOptions {
  readonly signal?: AbortSignal;
  readonly connector?: string;
  readonly blockedDomains?: readonly string[];
}

interface Login {
  exchange: ScramExchange | undefined;
  username: string | undefined;
}

export const READ_ACTIONS = READS;

function foundBy(documents: readonly Document[], { filter, projection, sort, limit }: Document): Document[] {
  requireInclusion(projection as Document | undefined);
  const query = new Query(comparable(filter ?? {}) as Document);
  const found = documents.filter((document) => query.test(comparable(document) as Document));
  for (const [field, direction] of Object.entries((sort ?? {}) as Record<string, 1 | -1>).toReversed())
    found.sort((one, other) => direction * compare(comparable(one[field]), comparable(other[field])));
  return found.slice(0, limit ?? found.length);
}

function piped(documents: readonly Document[], { pipeline }: Document): Document[] {
  const stages = (pipeline as Document[]).map((stage) => comparable(stage) as Document);
  if (stages.some((stage) => !['$match', '$group'].includes(Object.keys(stage)[0]!))) throw new Error('another stage');
  return new Aggregator(stages).run<Document>(documents.map((document) => comparable(document) as Document));
}

function requireInclusion(projection: Document | undefined): void {
  if (!projection) return;
  const { _id: id, ...fields } = projection;
  const paths = Object.keys(fields);
  if (id === undefined || paths.some((path) => fields[path] !== 1))
    throw new Error('a projection that is no inclusion');
  if (paths.some((path) => paths.some((other) => path.startsWith(`${other}.`)))) throw new Error('a path collision');
}

/** Values as `mingo` compares them. */
function comparable(value: unknown): unknown {
  if (value instanceof ObjectId) return `id ${value.toHexString()}`;
  if (value instanceof Long) return value.toNumber();
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  // `mingo` knows UTC only by saying nothing.
  const entries = Object.entries(value).filter(([key, each]) => !(key === 'timezone' && each === 'UTC'));
  return Object.fromEntries(entries.map(([key, each]) => [key, comparable(each)]));
}

function compare(one: unknown, other: unknown): number {
  return (one as number) < (other as number) ? -1 : Number((one as number) > (other as number));
}

function batchOf({ $db: database }: Document, name: string, firstBatch: readonly object[]): Document {
  return { cursor: { id: Long.ZERO, ns: `${String(database)}.${name}`, firstBatch: [...firstBatch] }, ok: 1 };
}

function errorOf(code: number): Document {
  return { ok: 0, code, codeName: `Code${code}`, errmsg: `CANARY-text of the server, code ${code}` };
}

function outcomeOf(mishap: Exclude<Mishap, string>): Document {
  return 'code' in mishap ? { ...errorOf(mishap.code as number), ...mishap } : mishap;
}
