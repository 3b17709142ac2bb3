import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { format, resolveConfig } from 'prettier';
import { withOpenapiFile } from './openapi-file.ts';

/**
 * Writes the types of the example's HTTP client from the OpenAPI document: the operations that the example and the demo
 * call, with the schemas that they refer to. `--check` only checks that the committed file is up to date.
 */
const FILE = 'examples/agent-runtime/src/api-types.ts';
const CALLERS = ['examples/agent-runtime/src', 'scripts/demo'];
const HEADER = `// Made from the OpenAPI document by "npm run example:types"; not edited by hand.\n\n`;
/** Leaves out comments and examples, which would be ten lines for each line of types. */
const PROSE = new Set(['description', 'summary', 'example', 'examples', 'tags']);

interface Operation {
  readonly responses: Record<string, unknown>;
}
interface Document {
  readonly paths: Record<string, Record<string, Operation | undefined>>;
  readonly components: Record<string, Record<string, unknown>>;
}

/** Method and path of each operation that the sources name. */
function wantedOperations(): [method: string, path: string][] {
  const sources = CALLERS.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .map((name) => readFileSync(join(folder, name), 'utf8')),
  ).join('\n');
  const calls = sources.matchAll(/\b(?:call\(|Data<|OperationOf<)\s*'(get|post|put|delete)',\s*'([^']+)'/g);
  const texts = sources.matchAll(/\btext\(\s*'([^']+)'/g);
  return [
    ...Array.from(calls, ([, method, path]): [string, string] => [method!, path!]),
    ...Array.from(texts, ([, path]): [string, string] => ['get', path!]),
  ];
}

/** The document with only these operations, their success answers, and the schemas that those name. */
function reduce(document: Document, wanted: readonly [string, string][]): object {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [method, path] of wanted.toSorted(([, a], [, b]) => (a < b ? -1 : 1))) {
    const operation = document.paths[path]?.[method];
    if (!operation) throw new Error(`The document has no ${method.toUpperCase()} ${path}`);
    const responses = Object.fromEntries(Object.entries(operation.responses).filter(([status]) => status < '300'));
    paths[path] = { ...paths[path], [method]: withoutProse({ ...operation, responses }) };
  }
  const schemas: Record<string, unknown> = {};
  const names = schemasNamedIn(paths);
  for (const name of names) {
    if (name in schemas) continue;
    schemas[name] = withoutProse(document.components.schemas![name]);
    names.push(...schemasNamedIn(schemas[name]));
  }
  const sorted = Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1)));
  return { ...document, paths, components: { schemas: sorted } };
}

function schemasNamedIn(value: unknown): string[] {
  return Array.from(JSON.stringify(value).matchAll(/"#\/components\/schemas\/([^"]+)"/g), ([, name]) => name!);
}

/** Keys of `properties` are property names, even if they look like keywords. */
function withoutProse(value: unknown, areNames = false): unknown {
  if (Array.isArray(value)) return value.map((each) => withoutProse(each));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => areNames || !PROSE.has(key));
  return Object.fromEntries(kept.map(([key, each]) => [key, withoutProse(each, key === 'properties' && !areNames)]));
}

const document = await withOpenapiFile((file) =>
  reduce(JSON.parse(readFileSync(file, 'utf8')) as Document, wantedOperations()),
);
// A property with a default may be absent from a request.
const types = HEADER + astToString(await openapiTS(document as OpenAPI3, { defaultNonNullable: false }));
const text = await format(types, { ...(await resolveConfig(FILE)), parser: 'typescript' });
if (!process.argv.includes('--check')) writeFileSync(FILE, text);
else if (readFileSync(FILE, 'utf8') !== text) {
  console.error(`${FILE} is out of date; run "npm run example:types"`);
  process.exit(1);
}
