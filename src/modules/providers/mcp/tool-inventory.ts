import { canonicalText, sha256 } from '../../../kernel/crypto/index.ts';
import type { ExcludedTool, ListedTool, ToolDefinition } from '../../integrations/index.ts';
import { isObject, type JsonObject } from '../wire/index.ts';

/** Of one definition; of all that are kept. */
const MOST_BYTES = 32 * 1_024;
const MOST_KEPT_BYTES = 1_024 * 1_024;
const MOST_TOOLS = 500;
/** Of those that are named as excluded. */
const MOST_EXCLUDED = 500;
const MOST_LEVELS = 16;
/** Of these the steps `.` and `..` of a path could never be called. */
const NAME = /^(?!\.{1,2}$)[A-Za-z0-9_./-]{1,128}$/;
/** What a header's name may consist of. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/;
/** In JSON: an escape that is not itself escaped. */
const NUL = /(?<!\\)(?:\\\\)*\\u0000/;
const PARTS = ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations'] as const;

type Reason = ExcludedTool['reason'];

export interface KeptTools {
  readonly tools: readonly ListedTool[];
  readonly excluded: readonly ExcludedTool[];
}

/** The tools of a server's list that can be offered, in its order, and why others cannot. */
export function toolsIn(listed: readonly unknown[]): KeptTools {
  const counts = new Map<unknown, number>();
  for (const each of listed) counts.set(nameOf(each), (counts.get(nameOf(each)) ?? 0) + 1);
  const tools: ListedTool[] = [];
  const excluded = new Map<string, Reason>();
  let bytes = 0;
  for (const each of listed) {
    const tool = (counts.get(nameOf(each)) ?? 0) > 1 ? 'duplicate_name' : toolOf(each);
    if (typeof tool === 'string') excluded.set(shown(nameOf(each)), tool);
    else {
      bytes += tool.bytes;
      if (tools.length === MOST_TOOLS || bytes > MOST_KEPT_BYTES) excluded.set(tool.listed.name, 'over_limit');
      else tools.push(tool.listed);
    }
  }
  const named = [...excluded].slice(0, MOST_EXCLUDED).map(([name, reason]) => ({ name, reason }));
  return { tools, excluded: named };
}

/** One tool of a list, or undefined where it cannot be offered. */
export function toolIn(listed: unknown): ListedTool | undefined {
  const tool = toolOf(listed);
  return typeof tool === 'string' ? undefined : tool.listed;
}

export function nameOf(listed: unknown): unknown {
  return isObject(listed) ? listed.name : undefined;
}

/** What an excluded tool is called, as far as it can be shown. */
function shown(name: unknown): string {
  if (typeof name !== 'string') return '';
  return name
    .slice(0, 128)
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, '\uFFFD');
}

function toolOf(listed: unknown): { readonly listed: ListedTool; readonly bytes: number } | Reason {
  if (!isObject(listed) || typeof listed.name !== 'string' || !NAME.test(listed.name)) return 'invalid_name';
  const defined = Object.fromEntries(PARTS.flatMap((part) => (part in listed ? [[part, listed[part]]] : [])));
  if (depthOf(defined, MOST_LEVELS + 1) > MOST_LEVELS) return 'too_deep';
  const text = canonicalOf(defined);
  if (text === undefined || !isDefinition(defined)) return 'invalid_schema';
  const bytes = Buffer.byteLength(text);
  if (bytes > MOST_BYTES) return 'too_large';
  const fault = faultIn(defined.inputSchema) ?? faultIn(defined.outputSchema ?? {});
  if (fault) return fault;
  if (!areHeadersSound(defined.inputSchema)) return 'invalid_header';
  return { listed: { ...definitionOf(defined), ...meaningOf(defined.annotations ?? {}, text) }, bytes };
}

/** Deepest nesting, counted up to a bound. */
function depthOf(value: unknown, most: number): number {
  if (typeof value !== 'object' || value === null || most === 0) return 0;
  let deepest = 0;
  for (const each of Object.values(value)) deepest = Math.max(deepest, depthOf(each, most - 1));
  return deepest + 1;
}

/** Undefined of what has no canonical form, or what the database could not keep. */
function canonicalOf(defined: JsonObject): string | undefined {
  try {
    const text = canonicalText(defined);
    return NUL.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

interface Defined {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly annotations?: JsonObject;
}

function isDefinition(defined: JsonObject): defined is JsonObject & Defined {
  const { title = '', description = '', inputSchema, outputSchema = {}, annotations = {} } = defined;
  const isSchema = isObject(inputSchema) && (inputSchema.type === undefined || inputSchema.type === 'object');
  return (
    isSchema &&
    typeof title === 'string' &&
    typeof description === 'string' &&
    isObject(outputSchema) &&
    isObject(annotations)
  );
}

function definitionOf({ name, title, description, inputSchema, outputSchema, annotations }: Defined): ToolDefinition {
  return {
    name,
    title: title ?? null,
    description: description ?? null,
    inputSchema,
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(annotations === undefined ? {} : { annotations }),
  };
}

/** What follows from the hints of a server, which are trusted only to make a tool less dangerous than the default. */
function meaningOf(annotations: JsonObject, text: string): Omit<ListedTool, keyof ToolDefinition> {
  const access = annotations.readOnlyHint === true ? 'read' : 'write';
  const { destructiveHint } = annotations;
  return {
    access,
    risk: destructiveHint === true ? 'high' : 'external',
    reviewRequired: access === 'write' && destructiveHint !== false,
    definitionHash: sha256(text).toString('hex'),
  };
}

/** Whether a schema points outside itself. */
function faultIn(schema: unknown): Reason | undefined {
  if (typeof schema !== 'object' || schema === null) return undefined;
  for (const [key, value] of Object.entries(schema)) {
    const isReference = (key === '$ref' || key === '$dynamicRef') && typeof value === 'string';
    if (isReference && !value.startsWith('#')) return 'remote_reference';
    const fault = VALUES.has(key) ? undefined : faultIn(value);
    if (fault) return fault;
  }
  return undefined;
}

/**
 * Whether every argument that a server wants repeated in a header can be: a name of its own that a header may have, on a
 * plain property that is reached through properties alone.
 */
function areHeadersSound(schema: JsonObject): boolean {
  const names = new Set<string>();
  const isSound = (node: unknown, isProperty: boolean): boolean => {
    if (typeof node !== 'object' || node === null) return true;
    if (Array.isArray(node)) return node.every((each) => isSound(each, false));
    const { properties, 'x-mcp-header': header, ...rest } = node as JsonObject;
    if (header !== undefined) {
      if (!isProperty || typeof header !== 'string' || !TOKEN.test(header)) return false;
      const name = header.toLowerCase();
      if (names.has(name) || !['string', 'integer', 'boolean'].includes(String(rest.type))) return false;
      names.add(name);
    }
    const inside = isObject(properties) ? Object.values(properties) : [];
    const elsewhere = Object.entries(rest).filter(([key]) => !VALUES.has(key));
    return inside.every((each) => isSound(each, isProperty)) && elsewhere.every(([, each]) => isSound(each, false));
  };
  const { properties, ...rest } = schema;
  const roots = isObject(properties) ? Object.values(properties) : [];
  return roots.every((each) => isSound(each, true)) && isSound({ ...rest, properties: {} }, false);
}

/** Keywords whose values are no schemas, whatever they look like. */
const VALUES = new Set(['const', 'enum', 'default', 'examples']);
