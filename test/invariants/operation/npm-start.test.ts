import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { NpmProcess } from '../../support/processes/npm-process.ts';
import { until } from '../../support/until.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
/** The service's limit, its database's and, where it builds, that of the build, on a busy machine. */
const GONE_MS = 30_000;
/** As the service counts signals. */
const ONE_REQUEST_MS = 2_000;
const READY_MS = 60_000;
const DRAIN_MS = 1_000;
const LIMIT_MS = 120_000;

describe('npm start', () => {
  let home: string;
  /** Shared, so that only the first start makes a database. */
  let dataDir: string;

  beforeAll(() => {
    home = mkdtempSync(join(tmpdir(), 'npm-start-'));
    dataDir = join(home, 'data');
  });
  afterEach(() => NpmProcess.killAll());
  afterAll(() => rmSync(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }));

  it.each<[string, (npm: NpmProcess) => void, object]>([
    ['SIGTERM to npm alone', (npm) => npm.signal('SIGTERM'), { code: 0, signal: null }],
    ['SIGINT to npm alone', (npm) => npm.signal('SIGINT'), { code: 0, signal: null }],
    [
      'Ctrl-C, which all processes get and npm passes on',
      (npm) => npm.signalGroup('SIGINT'),
      { code: 0, signal: null },
    ],
    ['the end of its terminal', (npm) => npm.signalGroup('SIGHUP'), { code: null, signal: 'SIGHUP' }],
    ['SIGKILL of npm', (npm) => npm.signal('SIGKILL'), { code: null, signal: 'SIGKILL' }],
  ])(
    'stops service and database in order at %s',
    async (_name, stop, exit) => {
      const npm = await ready({ SHUTDOWN_DRAIN_SECONDS: String(DRAIN_MS / 1_000) });
      const stoppedAt = performance.now();
      stop(npm);
      expect(await npm.exited).toEqual(exit);
      await npm.gone(GONE_MS);
      expect(npm.log).toContain('"msg":"stopped"');
      expect(performance.now() - stoppedAt).toBeGreaterThanOrEqual(DRAIN_MS);
    },
    LIMIT_MS,
  );

  it(
    'leaves nothing when its terminal is closed',
    async () => {
      const npm = start({}, { onTerminal: true });
      await npm.says('base URL', READY_MS);
      npm.signal('SIGKILL');
      await npm.gone(GONE_MS);
    },
    LIMIT_MS,
  );

  it(
    'ends at once at a second request to stop',
    async () => {
      const npm = await ready({ SHUTDOWN_DRAIN_SECONDS: '60' });
      npm.signalGroup('SIGINT');
      await wait(ONE_REQUEST_MS + 100);
      npm.signalGroup('SIGINT');
      expect(await npm.exited).toEqual({ code: 1, signal: null });
      await npm.gone(GONE_MS);
      expect(npm.log).not.toContain('"msg":"stopped"');
    },
    LIMIT_MS,
  );

  it.each<[string, NodeJS.Signals, object]>([
    ['SIGTERM', 'SIGTERM', { code: 0, signal: null }],
    ['SIGKILL of npm', 'SIGKILL', { code: null, signal: 'SIGKILL' }],
  ])(
    'leaves nothing at %s while it makes and starts its database',
    async (_name, signal, exit) => {
      for (const moment of ['postgres.init-', 'postgres.alive']) {
        const fresh = mkdtempSync(join(home, 'fresh-'));
        const npm = start({ DATA_DIR: fresh });
        await until(`there is ${moment}`, () => readdirSync(fresh).some((name) => name.startsWith(moment)), 20_000);
        npm.signal(signal);
        expect(await npm.exited).toEqual(exit);
        await npm.gone(GONE_MS);
        expect(npm.log).not.toContain('"msg":"ready"');
      }
    },
    LIMIT_MS,
  );

  it(
    'leaves nothing when npm is killed the moment it has started the script',
    async () => {
      const npm = start({});
      await until('the script has begun', () => npm.script !== undefined, 20_000);
      npm.signal('SIGKILL');
      await npm.gone(GONE_MS);
      expect(npm.log).not.toContain('"msg":"ready"');
    },
    LIMIT_MS,
  );

  it(
    'leaves nothing at SIGTERM and at SIGKILL of npm while it builds, and builds again',
    async () => {
      const cwd = unbuiltPackage();
      const half = () => readdirSync(cwd).filter((name) => name.startsWith('dist.'));
      for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
        const left = new Set(half());
        const npm = start({}, { cwd });
        await until('it builds', () => half().some((name) => !left.has(name)), 20_000);
        npm.signal(signal);
        expect(await npm.exited).toEqual({ code: null, signal });
        await npm.gone(GONE_MS);
        expect(npm.log).not.toContain('"msg":"ready"');
        rmSync(join(cwd, 'dist'), { recursive: true, force: true });
      }
      const again = await ready({}, { cwd });
      expect([half(), existsSync(join(cwd, 'dist/.built'))]).toEqual([[], true]);
      again.signal('SIGTERM');
      expect(await again.exited).toEqual({ code: 0, signal: null });
      await again.gone(GONE_MS);
    },
    LIMIT_MS,
  );

  function start(env: Record<string, string>, options: { cwd?: string; onTerminal?: boolean } = {}): NpmProcess {
    return new NpmProcess('start', { env: { DATA_DIR: dataDir, PORT: '0', ...env }, folder: home, ...options });
  }

  async function ready(env: Record<string, string>, options?: { cwd: string }): Promise<NpmProcess> {
    const npm = start(env, options);
    await npm.says('"msg":"ready"', READY_MS);
    return npm;
  }

  /** The package without a build, so that nobody else's is touched. */
  function unbuiltPackage(): string {
    const cwd = mkdtempSync(join(home, 'package-'));
    mkdirSync(join(cwd, 'scripts'));
    for (const name of ['scripts', 'package.json', '.swcrc'])
      cpSync(join(ROOT, name), join(cwd, name), { recursive: true });
    for (const name of ['src', 'migrations', 'catalog', 'node_modules']) symlinkSync(join(ROOT, name), join(cwd, name));
    return cwd;
  }
});
