import { isObject, type JsonObject } from '../wire/index.ts';

/** Paths as a tree; `true` stands for a whole value. */
type Paths = true | Map<string, Paths>;

/** The paths without those that lie below another one, which the database refuses to be given together. */
export function outermost(paths: readonly string[]): readonly string[] {
  const all = new Set(paths);
  return [...all].filter((path) => !prefixesOf(path).some((prefix) => all.has(prefix)));
}

/** The projection that asks for exactly these paths. */
export function projectionOf(paths: readonly string[]): Readonly<Record<string, 0 | 1>> {
  const projection = Object.create(null) as Record<string, 0 | 1>;
  projection['_id'] = 0;
  for (const path of outermost(paths)) projection[path] = 1;
  return projection;
}

/** What of a document lies at the paths: in lists, of each element. Nothing else comes through, whatever was answered. */
export function allowedPart(document: JsonObject, paths: readonly string[]): JsonObject {
  return partOf(document, treeOf(paths)) as JsonObject;
}

function partOf(value: unknown, paths: Paths): unknown {
  if (paths === true) return value;
  if (Array.isArray(value))
    return value.filter((each) => isObject(each) || Array.isArray(each)).map((each) => partOf(each, paths));
  if (!isObject(value)) return undefined;
  const part = Object.create(null) as Record<string, unknown>;
  for (const [name, below] of paths) {
    const found = Object.hasOwn(value, name) ? partOf(value[name], below) : undefined;
    if (found !== undefined) part[name] = found;
  }
  return part;
}

function treeOf(paths: readonly string[]): Paths {
  const root = new Map<string, Paths>();
  for (const path of outermost(paths)) {
    const names = path.split('.');
    const last = names.pop()!;
    let at = root;
    for (const name of names) {
      const below = at.get(name);
      const next = below instanceof Map ? below : new Map<string, Paths>();
      at.set(name, next);
      at = next;
    }
    at.set(last, true);
  }
  return root;
}

function prefixesOf(path: string): readonly string[] {
  const names = path.split('.');
  return names.slice(1).map((_, index) => names.slice(0, index + 1).join('.'));
}
