import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshDatabase } from '../support/database/test-database.ts';
import { onDatabase, ServiceProcess } from '../support/processes/service-process.ts';
import { BOOTSTRAP_TOKEN } from '../support/test-app.ts';

/** Clients that three generators make of the document: they compile, and an owner does the first things with each. */
const CLIENTS = ['openapi-fetch', 'hey-api', 'orval'];
const FOLDER = join(import.meta.dirname, 'clients');
const ROOT = join(import.meta.dirname, '../..');
const LIMIT_MS = 120_000;

let service: ServiceProcess;
beforeAll(async () => {
  service = await ServiceProcess.start({ env: onDatabase(await freshDatabase('migrated')) });
  const file = join(process.env.TEST_FOLDER!, 'openapi.json');
  writeFileSync(file, await (await fetch(`${service.baseUrl}/docs-json`)).text());
  expect(run([join(FOLDER, 'generate.ts'), file])).toMatchObject({ status: 0, stderr: '' });
}, LIMIT_MS);
afterAll(() => ServiceProcess.killAll());

it(
  'compile under strict TypeScript',
  () => {
    const { compilerOptions } = JSON.parse(readFileSync(join(ROOT, 'tsconfig.json'), 'utf8')) as {
      compilerOptions: { strict: boolean };
    };
    expect(compilerOptions.strict).toBe(true);
    expect(run(['node_modules/typescript/bin/tsc', '-p', FOLDER])).toEqual({ status: 0, stdout: '', stderr: '' });
  },
  LIMIT_MS,
);

describe.each(CLIENTS)('the client of %s', (client) => {
  it('lets an owner create a task, read what moves it, chat and follow the answer', () => {
    const { status, stdout, stderr } = run([join(FOLDER, client, 'owner.ts')]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({
      task: 'OPS-1',
      input: 'By revenue',
      ended: null,
      mover: 'run_request',
      runs: 0,
      refused: 'task_not_found',
      event: 'assistant',
    });
  }, 30_000);

  it('names every core type', () => {
    const file = { 'openapi-fetch': 'api.ts', 'hey-api': 'types.gen.ts', orval: 'api.ts' }[client]!;
    const text = readFileSync(join(FOLDER, client, 'generated', file), 'utf8');
    for (const name of ['TaskResult', 'RunOutput', 'ManifestTaskRun', 'LastError', 'ErrorBody', 'TextInput'])
      expect(text).toMatch(new RegExp(`\\b${name}\\b`));
    expect(text).not.toMatch(/\w+Dto\b/);
  });
});

function run(args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: ROOT,
    env: { PATH: process.env.PATH, BUSINESS_RUNNER_URL: service.baseUrl, OWNER_TOKEN: BOOTSTRAP_TOKEN },
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}
