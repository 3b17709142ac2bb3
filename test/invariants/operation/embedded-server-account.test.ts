import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { runnablePrograms, serverPrograms, succeeds } from '../../../src/embedded/server-programs.ts';
import { CHILD, EmbeddedServerHarness, query } from '../../support/processes/embedded-server-harness.ts';

const NOBODY = 65534;
const AS_NOBODY = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];

const isRoot = process.platform === 'linux' && process.getuid!() === 0;
const asRoot = isRoot ? it : it.skip;
const nobodyCanRead = isRoot && spawnSync(AS_NOBODY[0]!, [...AS_NOBODY.slice(1), 'test', '-r', CHILD]).status === 0;
const asNobody = nobodyCanRead ? it : it.skip;

describe('the account of the embedded server', () => {
  let harness: EmbeddedServerHarness;

  beforeEach(() => {
    harness = new EmbeddedServerHarness();
  });

  afterEach(() => harness.end());

  asRoot('runs without privileges where its account can reach the folder (tests run as root)', async () => {
    await harness.start();
    expect(harness.accountOf(harness.serverPid()!)).toEqual({ uid: NOBODY, overridesPermissions: false });
  });

  asRoot('runs under a home of mode 0700 (tests run as root)', async () => {
    chmodSync(harness.home, 0o700);
    const first = await harness.start();
    await query(first.url, "create table note as select 'kept' as text");
    expect(harness.accountOf(harness.serverPid()!)).toEqual({ uid: NOBODY, overridesPermissions: true });
    await harness.stop(first);

    chmodSync(harness.home, 0o755);
    const second = await harness.start();
    expect(await query(second.url, 'select text from note')).toEqual([{ text: 'kept' }]);
    expect(harness.accountOf(harness.serverPid()!)).toEqual({ uid: NOBODY, overridesPermissions: false });
  });

  asRoot('runs programs that lie under a home of mode 0700 from a copy of its own (tests run as root)', async () => {
    const shipped = await serverPrograms();
    const hidden = join(harness.home, 'native', 'bin');
    cpSync(dirname(dirname(shipped.postgres)), dirname(hidden), { recursive: true, verbatimSymlinks: true });
    cpSync(join(dirname(shipped.postgres), '..', '..', 'package.json'), join(harness.home, 'package.json'));
    chmodSync(harness.home, 0o700);

    const plain = [...AS_NOBODY, '--'];
    const programs = await runnablePrograms(
      { initdb: join(hidden, 'initdb'), postgres: join(hidden, 'postgres') },
      plain,
    );
    expect(programs.postgres.startsWith(harness.home)).toBe(false);
    expect(await succeeds([...plain, programs.initdb, '-V'])).toBe(true);
    expect(await runnablePrograms(programs, plain)).toEqual(programs);
  });

  asNobody('runs as an ordinary user (tests run as root in a checkout that others can read)', async () => {
    mkdirSync(harness.dataDir);
    chownSync(harness.dataDir, NOBODY, NOBODY);
    const first = await harness.start(AS_NOBODY);
    await query(first.url, "create table note as select 'kept' as text");
    const pid = harness.serverPid()!;
    expect(harness.accountOf(pid)).toEqual({ uid: NOBODY, overridesPermissions: false });
    await harness.kill(first.process);
    await harness.gone(pid);

    const second = await harness.start(AS_NOBODY);
    expect(await query(second.url, 'select text from note')).toEqual([{ text: 'kept' }]);
    await harness.stop(second);
  });
});
