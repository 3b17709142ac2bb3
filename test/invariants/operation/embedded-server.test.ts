import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { type Child, EmbeddedServerHarness, query } from '../../support/processes/embedded-server-harness.ts';
import { until } from '../../support/until.ts';

const onLinux = process.platform === 'linux' ? it : it.skip;

describe('embedded server', () => {
  /** Its first start is over. */
  const used = new EmbeddedServerHarness();
  let harness: EmbeddedServerHarness;

  beforeAll(async () => used.stop(await used.start()));
  beforeEach(() => {
    harness = new EmbeddedServerHarness();
  });
  afterEach(() => harness.end());
  afterAll(() => used.end());

  it('keeps data from the first start to the second', async () => {
    const first = await harness.start();
    expect(first.firstStart).toBe(true);
    await query(first.url, "create table note as select 'kept' as text");
    await harness.stop(first);

    const second = await harness.start();
    expect(second.firstStart).toBe(false);
    expect(await query(second.url, 'select text from note')).toEqual([{ text: 'kept' }]);
    await harness.stop(second);
  });

  it('listens on loopback with a password, is durable and leaves nothing readable to others', async () => {
    const { url } = await harness.start();
    const [settings] = await query(
      url,
      `select current_setting('listen_addresses') as addresses, current_setting('unix_socket_directories') as sockets,
              current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit,
              current_setting('timezone') as timezone, current_database() as database,
              (select datlocale from pg_database where datname = current_database()) as locale`,
    );
    expect(settings).toEqual({
      addresses: '127.0.0.1',
      sockets: '',
      fsync: 'on',
      commit: 'on',
      timezone: 'UTC',
      database: 'business_runner',
      locale: 'C.UTF-8',
    });
    expect(new URL(url).port).not.toBe('5432');
    const guess = Object.assign(new URL(url), { password: 'guess' }).href;
    await expect(query(guess, 'select 1')).rejects.toMatchObject({ code: '28P01' });
    expect(modeOf(harness.dataDir) & 0o067).toBe(0);
    expect(modeOf(join(harness.dataDir, 'postgres-password'))).toBe(0o600);
    expect(modeOf(join(harness.dataDir, 'postgres.log'))).toBe(0o600);
  });

  it('stops within 5 s when its process is killed', async () => {
    harness.becomeUsed(used);
    const child = await harness.start();
    const pid = harness.serverPid()!;
    await harness.kill(child.process);
    await harness.gone(pid);
  });

  it('survives the Ctrl-C of its process until that has drained', async () => {
    harness.becomeUsed(used);
    const child = await harness.start();
    const running = query(child.url, 'select pg_sleep(0.3), 1 as finished');
    process.kill(-child.process.pid!, 'SIGINT');
    expect(await running).toMatchObject([{ finished: 1 }]);
    await harness.stop(child);
  });

  onLinux('is taken over by the next start when process and guard are killed (Linux)', async () => {
    harness.becomeUsed(used);
    const before = await harness.start();
    await query(before.url, "create table note as select 'kept' as text");
    const pid = harness.serverPid()!;
    process.kill(harness.guardOf(pid), 'SIGKILL');
    await harness.kill(before.process);

    const after = await harness.start();
    expect(harness.serverPid()).toBe(pid);
    expect(after.url).toBe(before.url);
    expect(await query(after.url, 'select text from note')).toEqual([{ text: 'kept' }]);
    await harness.kill(after.process);
    await harness.gone(pid);
  });

  onLinux('stops with its process even when the guard is gone (Linux)', async () => {
    harness.becomeUsed(used);
    const child = await harness.start();
    const pid = harness.serverPid()!;
    process.kill(harness.guardOf(pid), 'SIGKILL');
    await harness.stop(child);
    // The guard would have waited for its end.
    await harness.gone(pid);
  });

  onLinux('recovers what was committed when everything is killed (Linux)', async () => {
    harness.becomeUsed(used);
    const before = await harness.start();
    await query(before.url, "create table note as select 'kept' as text");
    const pid = harness.serverPid()!;
    const guard = harness.guardOf(pid);
    // A busy session outlives its server for a moment.
    query(before.url, 'select count(*) from generate_series(1, 3000000)').catch(() => {});
    for (const victim of [guard, pid, before.process.pid!]) process.kill(victim, 'SIGKILL');

    const after = await harness.start();
    expect(after.firstStart).toBe(false);
    expect(await query(after.url, 'select text from note')).toEqual([{ text: 'kept' }]);
    await harness.stop(after);
  });

  onLinux('refuses a folder whose holder lost its server (Linux)', async () => {
    harness.becomeUsed(used);
    const holder = await harness.start();
    process.kill(harness.serverPid()!, 'SIGKILL');
    await expect(harness.start()).rejects.toThrow('stop it first');
    await harness.kill(holder.process);
    await harness.stop(await harness.start());
  });

  it('is one server for processes that start at once in an empty folder', async () => {
    const all = await Promise.all([harness.start(), harness.start(), harness.start()]);
    expect(new Set(all.map(({ url }) => url)).size).toBe(1);
    expect(all.filter(({ firstStart }) => firstStart)).toHaveLength(1);
    await Promise.all(all.map(({ url }) => query(url, 'select 1')));
    const pid = harness.serverPid()!;
    await Promise.all(all.map((child) => harness.stop(child)));
    expect(harness.isGone(pid)).toBe(true);
  });

  it.each([
    ['stops', (child: Child) => harness.stop(child)],
    ['is killed', (child: Child) => harness.kill(child.process)],
  ])('goes on for a joined process when the one that started it %s', async (_how, end) => {
    harness.becomeUsed(used);
    const owner = await harness.start();
    const joiner = await harness.start();
    const pid = harness.serverPid()!;
    const client = new pg.Client({ connectionString: joiner.url });
    await client.connect();
    try {
      await end(owner);
      await client.query('select pg_sleep(0.3)');
      expect(harness.serverPid()).toBe(pid);
    } finally {
      await client.end();
    }
    await harness.kill(joiner.process);
    await harness.gone(pid);
  });

  it('starts afresh after an initdb that was killed half way, and leaves no trace of it', async () => {
    const interrupted = harness.spawnChild();
    await until('initdb is at work', () => draftFilesIn(harness.dataDir).includes('PG_VERSION'));
    await harness.kill(interrupted);

    const child = await harness.start();
    expect(child.firstStart).toBe(true);
    await query(child.url, 'select 1');
    expect(readdirSync(harness.dataDir).filter((name) => /init|new/.test(name))).toEqual([]);
    await harness.stop(child);
  });

  onLinux('keeps data and leaves no server wherever a start is killed (Linux)', async () => {
    harness.becomeUsed(used);
    const first = await harness.start();
    await query(first.url, "create table note as select 'kept' as text");
    await harness.stop(first);

    // Node needs some 100 ms to run the child, the start 50 to 100 ms: the kills fall on every part of both.
    for (let delayMs = 60; delayMs <= 260; delayMs += 10) {
      const victim = harness.spawnChild();
      await setTimeout(delayMs);
      await harness.kill(victim);
    }
    const last = await harness.start();
    expect(await query(last.url, 'select text from note')).toEqual([{ text: 'kept' }]);
    const pid = harness.serverPid()!;
    await harness.stop(last);
    expect(harness.isGone(pid)).toBe(true);
    await until('no process works in the folder', () => harness.processesInFolder().length === 0);
  });
});

/** What an initdb at work has written so far. */
function draftFilesIn(dataDir: string): string[] {
  try {
    const draft = readdirSync(dataDir).find((name) => name.startsWith('postgres.init-'))!;
    return readdirSync(join(dataDir, draft, 'data'));
  } catch {
    return [];
  }
}

function modeOf(path: string): number {
  return statSync(path).mode & 0o777;
}
