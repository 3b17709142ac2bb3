import type { LookupFunction } from 'node:net';
import { isIP } from 'node:net';
import type { MongoClient, ServerDescription } from 'mongodb';
import type { NamedServer, NamedServices } from '../../../kernel/egress/index.ts';
import type { ProviderSockets } from '../../integrations/index.ts';
import { failed } from '../wire/index.ts';
import { driver, PINNED } from './driver.ts';

const SERVICE = '_mongodb._tcp';
/** Servers that are tried at once; any of them knows the one that takes writes. */
const AT_ONCE = 3;
/** What the text beside a cluster's name may say; nothing of it is followed but that a balancer stands before it. */
const TEXT_OPTIONS: ReadonlySet<string> = new Set(['authSource', 'replicaSet', 'loadBalanced']);

export interface ClusterLogin {
  readonly clusterHost: string;
  readonly username: string;
  readonly password: string;
}

/** A client whose server is the one that takes writes, while `isStale` says nothing else. */
export interface ClusterClient {
  readonly client: MongoClient;
  readonly isStale: boolean;
}

/**
 * Connects to the server of a cluster that takes writes. The driver gets one server each, with addresses that were judged, and
 * never looks a name up or follows where a server sends it: members that a server names could be any address inside.
 */
export async function connectCluster(sockets: ProviderSockets, login: ClusterLogin): Promise<ClusterClient> {
  const { servers, texts } = await sockets.servicesOf(SERVICE, login.clusterHost);
  const isBalanced = isLoadBalanced({ servers, texts });
  const openings = await Promise.all(servers.slice(0, AT_ONCE).map((server) => open(server, login, isBalanced)));
  const opened = [...openings];
  try {
    const winner = await firstOf(openings);
    if (winner) return await ready(winner);
    const primaries = new Set(openings.map(({ standing }) => standing?.primary));
    const known = servers.find(({ host, port }) => primaries.has(`${host}:${port}`));
    if (!known)
      throw openings.find(({ error }) => error !== undefined)?.error ?? failed('unavailable', { sent: false });
    const primary = await open(known, login, isBalanced);
    opened.push(primary);
    return await ready(primary);
  } catch (error) {
    for (const { client } of opened) void client.close(true).catch(() => undefined);
    throw error;
  }

  async function ready(winner: Opening): Promise<ClusterClient> {
    for (const { client } of opened) if (client !== winner.client) void client.close(true).catch(() => undefined);
    await winner.connected;
    if (!winner.standing?.isWritable) throw failed('unavailable', { sent: false });
    return {
      client: winner.client,
      get isStale() {
        return !(winner.standing?.isWritable ?? false);
      },
    };
  }
}

/** A client on its way to one server, with what the server said last of itself. */
interface Opening {
  readonly client: MongoClient;
  /** Login and all; never unhandled. */
  readonly connected: Promise<unknown>;
  /** Resolved with the server's first word, or its failure. */
  readonly heard: Promise<unknown>;
  readonly standing: ServerDescription | undefined;
  readonly error: unknown;
}

async function open(server: NamedServer, login: ClusterLogin, isBalanced: boolean): Promise<Opening> {
  const { MongoClient } = await driver();
  const { username, password } = login;
  const client = new MongoClient(`mongodb://${server.host}:${server.port}/`, {
    ...PINNED,
    auth: { username, password },
    ...(isBalanced ? { loadBalanced: true } : { directConnection: true }),
    lookup: pinnedTo(server),
  });
  const heard = Promise.withResolvers<undefined>();
  let standing: ServerDescription | undefined;
  let error: unknown;
  client.on('serverDescriptionChanged', ({ newDescription }) => {
    standing = newDescription;
    if (newDescription.type !== 'Unknown') heard.resolve(undefined);
  });
  const connected = client.connect();
  connected.then(
    () => heard.resolve(undefined),
    (reason: unknown) => {
      error = reason;
      heard.resolve(undefined);
    },
  );
  return {
    client,
    connected,
    heard: heard.promise,
    get standing() {
      return standing;
    },
    get error() {
      return error;
    },
  };
}

/** The first that takes writes, as soon as it says so; undefined where none does. */
async function firstOf(openings: readonly Opening[]): Promise<Opening | undefined> {
  const each = openings.map(async (opening) => {
    await opening.heard;
    if (!opening.standing?.isWritable) throw new Error('no server for writes');
    return opening;
  });
  return Promise.any(each).catch(() => undefined);
}

/** Where the driver asks for the server's name, its judged addresses are the answer, and nothing for any other. */
function pinnedTo({ host, addresses }: NamedServer): LookupFunction {
  const answers = addresses.map((address) => ({ address, family: isIP(address) }));
  return (name, { all }, done) => {
    if (name !== host) done(Object.assign(new Error('another name'), { code: 'ENOTFOUND' }), '');
    else if (all) done(null, answers);
    else done(null, answers[0]!.address, answers[0]!.family);
  };
}

function isLoadBalanced({ servers, texts }: NamedServices): boolean {
  if (texts.length > 1) throw failed('bad_answer', { sent: false });
  const options = new URLSearchParams(texts[0] ?? '');
  const isKnown = [...options].every(([name, value]) => TEXT_OPTIONS.has(name) && value !== '');
  const isBalanced = options.get('loadBalanced') === 'true';
  if (!isKnown || (isBalanced && servers.length > 1)) throw failed('bad_answer', { sent: false });
  return isBalanced;
}
