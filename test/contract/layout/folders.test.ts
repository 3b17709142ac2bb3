import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../../..');
const MAX_FILES = 25;

it.each(['src', 'test', 'scripts', 'bench', 'faults', 'examples'])(
  'no folder of %s holds more than 25 files: give a lifecycle a folder of its own',
  (top) => {
    const files = readdirSync(join(ROOT, top), { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    expect(files.length).toBeGreaterThan(0);
    const folders = Map.groupBy(files, ({ parentPath }) => relative(ROOT, parentPath));
    expect([...folders].filter(([, within]) => within.length > MAX_FILES).map(([folder]) => folder)).toEqual([]);
  },
);
