import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from '@jest/globals';
import { onDatabase } from '../../support/processes/service-process.ts';
import { freshDatabase } from '../../support/database/test-database.ts';
import { until } from '../../support/until.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
/** As npm runs it, in a shell that does not hand signals on. */
const SCRIPT = `"${process.execPath}" scripts/run.mjs ./start.ts; true`;

describe('a service that npm started', () => {
  let shell: ChildProcess | undefined;

  afterEach(() => {
    try {
      if (shell) process.kill(-shell.pid!, 'SIGKILL');
    } catch {
      // All of it has ended.
    }
  });

  it('stops in order when SIGTERM ends only the shell around it', async () => {
    shell = spawn('sh', ['-c', SCRIPT], {
      cwd: ROOT,
      env: {
        PATH: process.env.PATH,
        PORT: '0',
        npm_lifecycle_event: 'start',
        ...onDatabase(await freshDatabase('migrated')),
      },
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    let log = '';
    shell.stdout!.on('data', (chunk) => (log += String(chunk)));
    const closed = once(shell, 'close');
    await until('it is ready', () => log.includes('"ready"'), 20_000);

    shell.kill('SIGTERM');
    await closed;
    expect(log).toContain('"msg":"stopped"');
  });
});
