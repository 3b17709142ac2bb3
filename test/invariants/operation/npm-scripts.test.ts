import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { NpmProcess } from '../../support/processes/npm-process.ts';
import { until } from '../../support/until.ts';

/** The demo's limits: its runtime, its service and their database, one after the other. */
const GONE_MS = 20_000;
const LIMIT_MS = 90_000;
/** Nobody listens there: a reserved port that a client may ask for. */
const NOWHERE = 'http://127.0.0.1:2';

describe('a script of npm that goes on until it is stopped', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'npm-scripts-'));
  });
  afterEach(async () => {
    await NpmProcess.killAll();
    rmSync(folder, { recursive: true, force: true, maxRetries: 40, retryDelay: 50 });
  });

  it.each<[string, (npm: NpmProcess) => void, object]>([
    ['SIGTERM to npm alone', (npm) => npm.signal('SIGTERM'), { code: 1, signal: null }],
    ['SIGKILL of npm', (npm) => npm.signal('SIGKILL'), { code: null, signal: 'SIGKILL' }],
  ])(
    'stops with all it started: the demo, at %s',
    async (_name, stop, exit) => {
      const npm = new NpmProcess('demo', { env: { DEMO_DIR: folder, PACE_MS: '60000' }, folder });
      await npm.says('Handed in the objective', 60_000);
      const log = join(folder, 'runtime.log');
      await until(
        // Not the planning run, which ends before the pace slows the others down.
        'the runtime works on a step',
        () => existsSync(log) && readFileSync(log, 'utf8').includes('execute, attempt 1'),
        20_000,
      );
      const { servicePid, runtimePid } = JSON.parse(readFileSync(join(folder, 'demo.json'), 'utf8'));
      stop(npm);
      expect(await npm.exited).toEqual(exit);
      await npm.gone(GONE_MS);
      await until('its two programs are gone', () => !isAlive(servicePid) && !isAlive(runtimePid), GONE_MS);
      expect(npm.log).toContain('Stopped.');
      // It gave back what it had begun.
      expect(readFileSync(log, 'utf8')).toContain('runtime_stopping');
    },
    LIMIT_MS,
  );

  it.each<[string, string, (npm: NpmProcess) => void, object]>([
    ['example', 'SIGTERM to npm alone', (npm) => npm.signal('SIGTERM'), { code: 0, signal: null }],
    ['example', 'Ctrl-C', (npm) => npm.signalGroup('SIGINT'), { code: 0, signal: null }],
    ['example', 'SIGKILL of npm', (npm) => npm.signal('SIGKILL'), { code: null, signal: 'SIGKILL' }],
    ['chat', 'Ctrl-C', (npm) => npm.signalGroup('SIGINT'), { code: null, signal: 'SIGINT' }],
    ['chat', 'SIGKILL of npm', (npm) => npm.signal('SIGKILL'), { code: null, signal: 'SIGKILL' }],
  ])(
    'stops although it waits for a service: the %s, at %s',
    async (script, _name, stop, exit) => {
      const env = { BUSINESS_RUNNER_URL: NOWHERE, AGENT_SERVICE_TOKEN: 'none', OWNER_TOKEN: 'none' };
      const npm = new NpmProcess(script, { env, args: ['somebody'], folder });
      await npm.says('cannot reach');
      stop(npm);
      expect(await npm.exited).toEqual(exit);
      await npm.gone(GONE_MS);
    },
    LIMIT_MS,
  );
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
