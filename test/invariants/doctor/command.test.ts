import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { readSettings } from '../../../src/config/index.ts';
import { startEmbeddedDefault } from '../../../src/embedded/index.ts';
import { doctorCommand } from '../../support/doctor.ts';
import { newFolder } from '../../support/folders.ts';

describe('the command', () => {
  it('prints a line for each finding and their number, and exits with 1 for a fault', async () => {
    const { code, stdout } = await doctorCommand({ PORT: 'http', DATA_DIR: join(newFolder('doctor'), 'data') });
    const found = stdout.trimEnd().split('\n');
    expect(found[0]).toBe('FAIL  PORT: must be an integer from 0 to 65535, is "http"');
    expect(found.at(-1)).toBe('faults: 1, warnings: 0');
    for (const line of found.slice(1, -1)) expect(line).toMatch(/^ok {4}\w+: /);
    expect(code).toBe(1);
  });

  it('looks at the embedded database beside its service, which goes on', async () => {
    const dataDir = join(newFolder('doctor'), 'data');
    const embedded = await startEmbeddedDefault(dataDir, readSettings({}));
    try {
      const { code, stdout } = await doctorCommand({ DATA_DIR: dataDir, PORT: '0' });
      expect(stdout).toMatch(/^ok {4}migrations: (\d+) of \1 are missing; the start applies them$/m);
      expect(code).toBe(0);
      const client = new pg.Client({ connectionString: embedded.deployment.url });
      await client.connect();
      await client.query('select 1');
      await client.end();
    } finally {
      await embedded.stop();
    }
    const files = readdirSync(dataDir);
    expect(files).not.toContain('objects');
  });
});
