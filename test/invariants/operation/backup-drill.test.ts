import { spawnSync } from 'node:child_process';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, it } from '@jest/globals';
import pg from 'pg';
import { type EmbeddedServer, startEmbeddedServer } from '../../../src/embedded/index.ts';
import { company } from '../../support/client.ts';
import { onDatabase, ServiceProcess } from '../../support/processes/service-process.ts';
import { BOOTSTRAP_TOKEN } from '../../support/test-app.ts';
import { until } from '../../support/until.ts';

const root = mkdtempSync(join(tmpdir(), 'backup-drill-'));
const inRoot = (...names: string[]) => join(root, ...names);
const servers: EmbeddedServer[] = [];
/** Callers that create tasks and attach files all the while. */
const CALLERS = 4;

afterEach(() => ServiceProcess.killAll());
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  rmSync(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
});

async function serverIn(folder: string, settings: Record<string, string>): Promise<EmbeddedServer> {
  // Nothing here loses power.
  const server = await startEmbeddedServer({ dataDir: inRoot(folder), settings: { fsync: 'off', ...settings } });
  servers.push(server);
  return server;
}

async function connected<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Copies a folder in which files change and vanish, with modes and owners. */
function copy(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  const { stderr } = spawnSync('cp', ['--archive', `${from}/.`, to], { encoding: 'utf8' });
  const others = stderr.split('\n').filter((line) => line !== '' && !line.includes('No such file or directory'));
  expect(others).toEqual([]);
}

/** Writes a file of the cluster, as the account that the server has. */
function writeInto(cluster: string, name: string, text: string): void {
  writeFileSync(join(cluster, name), text);
  const { uid, gid } = statSync(cluster);
  chownSync(join(cluster, name), uid, gid);
}

/** A base backup of the first server, in the folder of the second. */
async function copyServer(url: string): Promise<void> {
  await connected(url, async (client) => {
    await client.query(`select pg_backup_start('drill', fast => true)`);
    copy(inRoot('first', 'postgres'), inRoot('second', 'postgres'));
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop()');
    writeInto(inRoot('second', 'postgres'), 'backup_label', rows[0]!.labelfile);
  });
}

/** Writes a name into the log and waits until the log up to there is archived. */
async function nameThisMoment(url: string): Promise<void> {
  await connected(url, async (client) => {
    await client.query(`select pg_create_restore_point('drill')`);
    const { rows } = await client.query<{ file: string }>('select pg_walfile_name(pg_switch_wal()) as file');
    await until('its log is archived', () => readdirSync(inRoot('archive')).includes(rows[0]!.file), 20_000);
  });
}

/** Starts a server on the base backup and the archived log up to the named moment. */
async function restoreServer(): Promise<EmbeddedServer> {
  copyFileSync(inRoot('first', 'postgres-password'), inRoot('second', 'postgres-password'));
  const cluster = inRoot('second', 'postgres');
  for (const name of ['postmaster.pid', 'postmaster.opts']) rmSync(join(cluster, name), { force: true });
  for (const name of readdirSync(join(cluster, 'pg_wal')))
    if (/^[0-9A-F]{24}/.test(name)) rmSync(join(cluster, 'pg_wal', name));
  writeInto(cluster, 'recovery.signal', '');
  return serverIn('second', {
    restore_command: `cp ${inRoot('archive')}/%f %p`,
    recovery_target_name: 'drill',
    recovery_target_action: 'promote',
  });
}

/** What was acknowledged so far. */
class Work {
  readonly tasks = new Set<string>();
  /** Digests by the paths of the files. */
  readonly files = new Map<string, string>();
  private isOver = false;
  private readonly callers: Promise<void>[];

  constructor(
    private readonly service: ServiceProcess,
    private readonly organizationId: string,
    private readonly chatId: string,
  ) {
    this.callers = Array.from({ length: CALLERS }, async () => {
      while (!this.isOver) {
        await this.createTask();
        await this.attachFile();
      }
    });
  }

  async end(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.callers);
  }

  private async createTask(): Promise<void> {
    const path = `/organizations/${this.organizationId}/tasks`;
    const answer = await this.service.call('POST', path, BOOTSTRAP_TOKEN, TASK);
    expect(answer.status).toBe(201);
    this.tasks.add(answer.body.data.id as string);
  }

  private async attachFile(): Promise<void> {
    const bytes = randomBytes(50_000).toString('base64');
    const path = `/organizations/${this.organizationId}/chats/${this.chatId}/attachments/${randomUUID()}`;
    const answer = await fetch(`${this.service.baseUrl}${path}?fileName=notes.txt&mediaType=text/plain`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${BOOTSTRAP_TOKEN}`, 'content-type': 'application/octet-stream' },
      body: bytes,
    });
    expect([200, 201]).toContain(answer.status);
    this.files.set(path, sha256(bytes));
  }
}

const TASK = { title: 'Weigh the anchor', spec: { objective: 'Be ready to leave' } };
const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex');

/**
 * As docs/operations/backups.md describes it, with the server's own functions in place of `pg_basebackup`, which is not
 * at hand: a base backup and archived log of a server under load, then the bytes, then another server.
 */
it('a backup under load brings back all that was acknowledged, with its bytes, on another server', async () => {
  mkdirSync(inRoot('archive'));
  // The server has an account of its own.
  chmodSync(inRoot('archive'), 0o777);
  chmodSync(root, 0o755);
  const first = await serverIn('first', {
    archive_mode: 'on',
    archive_command: `test ! -f ${inRoot('archive')}/%f && cp %p ${inRoot('archive')}/%f`,
  });
  const service = await ServiceProcess.start({ env: onDatabase(first.url, { OBJECT_STORE_DIR: inRoot('objects') }) });
  const { body } = await service.call('POST', '/organizations', BOOTSTRAP_TOKEN, company(), {
    'idempotency-key': randomUUID(),
  });
  const organizationId = body.data.organization.id as string;
  const chat = await service.call('POST', `/organizations/${organizationId}/chats`, BOOTSTRAP_TOKEN, {
    title: 'Drill',
  });
  const work = new Work(service, organizationId, chat.body.data.id as string);
  await until('there is work', () => work.tasks.size > 20 && work.files.size > 20, 20_000);

  await copyServer(first.url);
  const before = work.tasks.size;
  await until('work went on', () => work.tasks.size > before + 20, 20_000);

  // The moment to which the restore goes: all bytes of its rows are copied after it.
  const [tasks, files] = [[...work.tasks], [...work.files.keys()]];
  await nameThisMoment(first.url);
  copy(inRoot('objects'), inRoot('second-objects'));
  await work.end();
  await service.kill();
  await first.stop();
  rmSync(inRoot('first', 'postgres'), { recursive: true });
  rmSync(inRoot('objects'), { recursive: true });

  const second = await restoreServer();
  const again = await ServiceProcess.start({
    env: onDatabase(second.url, { OBJECT_STORE_DIR: inRoot('second-objects') }),
  });

  expect((await fetch(`${again.baseUrl}/health/ready`)).status).toBe(200);
  const found = await connected(second.url, async (client) => ({
    tasks: (await client.query<{ id: string }>('select id from task')).rows.map(({ id }) => id),
    files: (await client.query<{ id: string }>('select id from attachment')).rows.map(({ id }) => id),
  }));
  expect(tasks.filter((id) => !found.tasks.includes(id))).toEqual([]);
  // Every row finds its bytes, also of files whose answer was still on its way.
  const paths = new Map([...work.files].map(([path, digest]) => [path.split('/').at(-1)!, { path, digest }]));
  for (const id of found.files) {
    const { path, digest } = paths.get(id)!;
    const answer = await fetch(`${again.baseUrl}${path}/content`, {
      headers: { authorization: `Bearer ${BOOTSTRAP_TOKEN}` },
    });
    expect([answer.status, sha256(Buffer.from(await answer.arrayBuffer()))]).toEqual([200, digest]);
  }
  expect(files.filter((path) => !found.files.includes(path.split('/').at(-1)!))).toEqual([]);
  // And work goes on: numbers of tasks continue.
  const next = await again.call('POST', `/organizations/${organizationId}/tasks`, BOOTSTRAP_TOKEN, TASK);
  expect(next.status).toBe(201);
}, 120_000);
