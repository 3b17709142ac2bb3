import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** Relative to `src/config`, or to `dist/src/config` after the build. */
const PACKAGE = import.meta.filename.endsWith('.js') ? '../../../package.json' : '../../package.json';

/** The version of the service. */
export const VERSION = (
  JSON.parse(readFileSync(resolve(import.meta.dirname, PACKAGE), 'utf8')) as { readonly version: string }
).version;
