import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { constants, runInThisContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import * as nest from '@nestjs/common';
import * as config from '../../src/config/index.ts';
import { until } from '../support/until.ts';

const ROOT = join(import.meta.dirname, '../..');

/** A module as Node itself loads it, past Jest. */
function loadedByNode(path: string): Promise<Record<string, unknown>> {
  const code = `import(${JSON.stringify(pathToFileURL(join(ROOT, path)).href)})`;
  const options = { importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER };
  return runInThisContext(code, options) as Promise<Record<string, unknown>>;
}

/** What `test/support/jest` makes of Jest's own parts. */
describe('modules of a test file', () => {
  it('run in the realm of Node, whose classes are those of all modules', () => {
    const [realm, error] = runInThisContext('[globalThis, Error]') as [unknown, unknown];
    expect([realm === globalThis, error === Error]).toEqual([true, true]);
  });

  it('are those that the worker has loaded, if of packages or of the application', async () => {
    const [package_, built] = [
      await loadedByNode('node_modules/@nestjs/common/index.js'),
      await loadedByNode('dist/src/config/index.js'),
    ];
    const later = await import('../../src/config/index.ts');
    expect(nest.Controller === package_['Controller']).toBe(true);
    expect([config.Config === built['Config'], later.Config === built['Config']]).toEqual([true, true]);
  });

  it('are loaded for the file alone, if they support tests', async () => {
    expect((await import('../support/until.ts')).until === until).toBe(true);
    const loaded = await loadedByNode('test/support/until.ts');
    expect(loaded['until'] === until).toBe(false);
  });
});
