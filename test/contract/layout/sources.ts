import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';

const MODULES = join(import.meta.dirname, '../../../src/modules');

/** A source file of a module. */
export interface Source {
  /** From `src/modules`, with `/`. */
  readonly path: string;
  readonly module: string;
  /** `module/folder`, or the module alone for a file at its root. */
  readonly place: string;
  readonly name: string;
  readonly text: string;
}

/** The source files of all modules, tests aside. */
export function sourcesOfModules(): Source[] {
  return readdirSync(MODULES, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => {
      const path = relative(MODULES, file).replaceAll('\\', '/');
      const folders = path.split('/').slice(0, -1);
      return {
        path,
        module: folders[0] ?? '',
        place: folders.join('/'),
        name: basename(path),
        text: readFileSync(file, 'utf8'),
      };
    })
    .sort((a, b) => a.path.localeCompare(b.path));
}
