import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { diagnose } from '../../../src/doctor/index.ts';
import { type EmbeddedServer, startEmbeddedServer } from '../../../src/embedded/index.ts';
import { migrate } from '../../../src/kernel/database/index.ts';
import { ormOptions } from '../../../src/mikro-orm.config.ts';
import { freshDatabase } from '../../support/database/test-database.ts';
import { OldPostgres } from '../../support/peers/old-postgres.ts';
import { ACCESS_KEY, S3Peer } from '../../support/peers/s3-peer.ts';
import { onDatabase } from '../../support/processes/service-process.ts';
import { CAPABILITY_KEY, SERVICE_TOKEN } from '../../support/test-app.ts';

/** Longest that the doctor may take, whatever hangs: connecting and asking have 5 s each, the store has 15 s. */
const BOUND_MS = 30_000;
const folder = (name: string) => mkdtempSync(join(process.env.TEST_FOLDER!, name));

/** A server of its own, because what is broken here belongs to a whole server. */
let server: EmbeddedServer;
const listeners: Server[] = [];
let made = 0;

beforeAll(async () => {
  server = await startEmbeddedServer({ dataDir: folder('doctor-'), database: 'template_doctor' });
  await migrate(ormOptions, { url: server.url, directUrl: server.url, dispatchUrl: server.url });
  await administer(`
    create role owner_login login createrole password 'CANARY-owner' in role br_owner;
    create role api_login login password 'CANARY-api';
    create role dispatch_login login password 'CANARY-dispatch';
    grant br_app to api_login with inherit false, set true;
    grant br_dispatch to dispatch_login with inherit false, set true`);
}, 60_000);
afterAll(async () => {
  for (const listener of listeners) listener.close();
  await server.stop();
});

async function administer(text: string, url = server.url): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}

const changed = (url: string, changes: Partial<URL>) => Object.assign(new URL(url), changes).href;

/** A database on that server, changed by the statements; the URL is the superuser's. */
async function database({ template = 'template_doctor', options = '', statements = [] as string[] } = {}) {
  const name = `doctor_${(made += 1)}`;
  const maintenance = changed(server.url, { pathname: '/postgres' });
  await administer(`create database ${name} template ${template} ${options}`, maintenance);
  const url = changed(server.url, { pathname: `/${name}` });
  for (const statement of statements) await administer(statement.replaceAll('THIS', name), url);
  return url;
}

/** The environment of a deployment with a login for each purpose. */
function withLogins(url: string, env: Record<string, string> = {}): Record<string, string> {
  const as = (username: string) => changed(url, { username, password: `CANARY-${username.split('_')[0]}` });
  return onDatabase(as('api_login'), {
    DATABASE_DIRECT_URL: as('owner_login'),
    DATABASE_DISPATCH_URL: as('dispatch_login'),
    PORT: '0',
    ...env,
  });
}

async function lines(env: Record<string, string>): Promise<string[]> {
  const startedAt = performance.now();
  const found: string[] = [];
  for await (const { level, about, text } of diagnose(env)) found.push(`${level} ${about}: ${text}`);
  expect(performance.now() - startedAt).toBeLessThan(BOUND_MS);
  for (const line of found) {
    expect(line).not.toContain('CANARY');
    expect(line).not.toContain('\n');
  }
  return found;
}

/** What is not as it should be. */
async function faults(env: Record<string, string>): Promise<string[]> {
  return (await lines(env)).filter((line) => !line.startsWith('ok '));
}

async function listening(serve: (socket: Socket) => unknown): Promise<string> {
  const listener = createServer(serve).listen(0, '127.0.0.1');
  listeners.push(listener);
  await once(listener, 'listening');
  return String((listener.address() as AddressInfo).port);
}
const silent = () => listening((socket) => socket.on('error', () => undefined));

describe('a deployment in which nothing is wrong', () => {
  it('has a line for each thing that was looked at, all ok, and is left as it was', async () => {
    const store = folder('doctor-objects-');
    const env = withLogins(await database(), { OBJECT_STORE_DIR: store, PUBLIC_BASE_URL: 'https://runner.internal', TRUST_PROXY: '10.0.0.0/8' });
    const found = await lines(env);
    expect(found.filter((line) => !line.startsWith('ok '))).toEqual([]);
    for (const about of ['configuration', 'DATABASE_URL', 'DATABASE_DIRECT_URL', 'DATABASE_DISPATCH_URL', 'roles', 'row-level security', 'extensions', 'migrations', 'DATABASE_POOL_SIZE', 'durability', 'clock', 'CATALOG_DIR', 'OBJECT_STORE_DIR', 'PORT'])
      expect(found).toContainEqual(expect.stringMatching(`^ok ${about}: `));
    expect(readdirSync(store)).toEqual([]);
  });
});
