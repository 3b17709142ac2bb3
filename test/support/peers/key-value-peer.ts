import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { Redis } from 'ioredis';
import { until } from '../until.ts';
import type { Answering, Outside } from './outside.ts';

const HOST = 'eu1-still-fox-12345.upstash.io';
/** What the provider gives its token for reading. */
const READ_ONLY = ['~*', '&*', '+@read', '-@dangerous', '-scan', '-randomkey'];

/** As the provider's interface has replies: lists are flat; integers are told from strings by their type. */
const SPOKEN = { protocol: 2, stringNumbers: true } as const;

/** A request as it came. */
export interface KeyValueRequest {
  readonly path: string;
  readonly commands: readonly (readonly string[])[];
}

/**
 * A key-value store: a real Redis with its users, behind the provider's REST interface, which is ours and so proves nothing of
 * the provider's own: base64 of every string but OK, 400 with the store's text, 401, `/pipeline` with an item for each command.
 * Anything else than the adapter should send is a fault, and refused. Redis has no JSON, so nothing here knows that.
 */
export class KeyValuePeer {
  readonly requests: KeyValueRequest[] = [];
  /** What nobody should have sent. */
  readonly faults: string[] = [];
  /** Answers in the place of the store; anything but `true` lets the store answer. */
  answering: ((...given: Parameters<Answering>) => unknown) | undefined;
  /** Requests that it works on, now and at most so far. */
  atOnce = { now: 0, most: 0 };
  /** Connections of the users, by token. */
  private readonly holders = new Map<string, Redis>();
  private users = 0;

  private constructor(
    readonly origin: string,
    /** Everything, to the test. */
    readonly redis: Redis,
    private readonly port: number,
    private readonly server: ChildProcess,
  ) {}

  static async start(outside: Outside, host = HOST): Promise<KeyValuePeer> {
    const { port, server } = await startRedis();
    const redis = new Redis({ host: '127.0.0.1', port, ...SPOKEN });
    let peer: KeyValuePeer | undefined;
    const origin = await outside.host(host, (...given) => peer?.serve(...given));
    peer = new KeyValuePeer(origin, redis, port, server);
    return peer;
  }

  /** A token of a user with these rules of the ACL; one that only reads unless said. */
  async token(rules: readonly string[] = READ_ONLY): Promise<string> {
    this.users += 1;
    const name = `user${this.users}`;
    const token = `CANARY-store-${this.users}-Rk7Tq2Xz5Lw8`;
    await this.redis.call('ACL', 'SETUSER', name, 'on', `>${token}`, ...rules);
    // No look whether it is ready, which a user that only reads may not take.
    const options = { username: name, password: token, ...SPOKEN, enableReadyCheck: false };
    this.holders.set(token, new Redis({ host: '127.0.0.1', port: this.port, ...options }));
    return token;
  }

  /** Commands that were sent so far, by name. */
  get sent(): readonly string[] {
    return this.requests.flatMap(({ commands }) => commands.map(([name]) => name!));
  }

  /** As it was at its start, but for its tokens. */
  async reset(): Promise<void> {
    this.requests.length = 0;
    this.faults.length = 0;
    this.answering = undefined;
    this.atOnce = { now: 0, most: 0 };
    await this.redis.flushall();
  }

  async stop(): Promise<void> {
    for (const redis of this.holders.values()) redis.disconnect();
    this.redis.disconnect();
    const ended = once(this.server, 'exit');
    this.server.kill('SIGKILL');
    await ended;
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.atOnce.now += 1;
    this.atOnce.most = Math.max(this.atOnce.most, this.atOnce.now);
    response.on('close', () => (this.atOnce.now -= 1));
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const { status, json } =
      (await this.answering?.(request, response)) === true ? {} : await this.answer(request, pieces);
    if (status !== undefined) response.writeHead(status, { 'content-type': 'application/json' }).end(json);
  }

  private async answer(
    request: IncomingMessage,
    pieces: readonly Buffer[],
  ): Promise<{ status?: number; json?: string }> {
    const { headers, url = '', method } = request;
    const isExpected =
      method === 'POST' &&
      ['/', '/pipeline'].includes(url) &&
      headers['upstash-encoding'] === 'base64' &&
      headers['content-type'] === 'application/json' &&
      headers['user-agent'] === 'service-integration';
    const body = isExpected ? (JSON.parse(Buffer.concat(pieces).toString()) as unknown[]) : [];
    const commands = (url === '/' ? [body] : body) as string[][];
    const isWhole = commands.every((command) => command.every((part) => typeof part === 'string'));
    if (!isExpected || !isWhole) {
      this.faults.push(`${method} ${url}`);
      return { status: 405, json: '{"error":"ERR not what is served here"}' };
    }
    this.requests.push({ path: url, commands });
    const holder = this.holders.get(headers.authorization?.replace(/^Bearer /, '') ?? '');
    if (!holder) return { status: 401, json: '{"error":"WRONGPASS invalid or missing auth token"}' };
    const replies = await Promise.all(commands.map((command) => replyTo(holder, command)));
    if (url === '/pipeline') return { status: 200, json: `[${replies.map(({ json }) => json).join(',')}]` };
    return { status: replies[0]!.isGood ? 200 : 400, json: replies[0]!.json };
  }
}

async function replyTo(redis: Redis, [name, ...args]: readonly string[]): Promise<{ isGood: boolean; json: string }> {
  try {
    return { isGood: true, json: `{"result":${inJson(await redis.callBuffer(name!, ...args))}}` };
  } catch (error) {
    return { isGood: false, json: JSON.stringify({ error: (error as Error).message }) };
  }
}

/** Integers come as texts here, so that none loses a digit; strings as bytes. */
function inJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inJson).join(',')}]`;
  if (!Buffer.isBuffer(value)) return String(value);
  return JSON.stringify(value.toString() === 'OK' ? 'OK' : value.toString('base64'));
}

async function startRedis(): Promise<{ readonly port: number; readonly server: ChildProcess }> {
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort();
    const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
    const server = spawn('redis-server', options, { stdio: ['ignore', 'pipe', 'ignore'] });
    let said: 'ready' | 'gone' | undefined;
    server.on('error', () => (said = 'gone')).on('exit', () => (said = 'gone'));
    createInterface(server.stdout).on('line', (line) => {
      if (line.includes('Ready to accept connections')) said ??= 'ready';
    });
    await until('the store starts', () => said !== undefined);
    if (said === 'ready') return { port, server };
    // Somebody else took the port, unless there is no such program.
    if (attempt === 5) throw new Error('redis-server does not start; it is a Debian package of that name.');
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
