import { EdgeIssues, invalid } from '../../../kernel/errors/index.ts';
import type { FixedTool, Schema } from '../fixed-tools/index.ts';
import type { Command } from './commands.ts';

/** A tool as the manifest has it, and how it is asked: pure, and never anything but reads. */
export interface KeyValueRead<Arguments = Readonly<Record<string, unknown>>> {
  readonly tool: FixedTool;
  /** Of one string in the output, in characters, where it may be longer than elsewhere. */
  readonly mostCharacters?: number;
  /** What no schema says of the arguments; throws 400 at the one below the path. */
  check?(args: Arguments, path: string): void;
  commands(args: Arguments): readonly Command[];
  /** A command that only the first values tell. */
  next?(values: readonly unknown[], args: Arguments): Command | undefined;
  /** What agents get of the values of all its commands. */
  project(values: readonly unknown[], args: Arguments): object;
}

interface Definition<Arguments> extends Omit<KeyValueRead<Arguments>, 'tool'> {
  readonly title: string;
  readonly description: string;
  readonly properties: Readonly<Record<string, Schema>>;
  /** Arguments that may be left out; those with a default are. */
  readonly optional?: readonly string[];
}

export function read<Arguments>(
  name: string,
  { title, description, properties, optional = [], ...how }: Definition<Arguments>,
): KeyValueRead {
  const isLeftOut = ([argument, schema]: [string, Schema]) => 'default' in schema || optional.includes(argument);
  const required = Object.entries(properties).flatMap((each) => (isLeftOut(each) ? [] : [each[0]]));
  const tool = { name: `upstash_${name}`, title, description, access: 'read', properties, required } as const;
  // What the schema of the tool lets through is what its functions take.
  return { tool, ...how } as unknown as KeyValueRead;
}

export const MOST_COMMANDS = 64;
export const MOST_ROWS = 100;
const MOST_TEXT = 1_024;

export const KEY: Schema = { type: 'string', minLength: 1, maxLength: 1_024, description: 'The whole key' };
export const KEYS: Schema = { type: 'array', minItems: 1, maxItems: MOST_COMMANDS, items: KEY };
export const TEXT: Schema = { type: 'string', maxLength: MOST_TEXT };
export const INDEX: Schema = {
  type: 'integer',
  minimum: -Number.MAX_SAFE_INTEGER,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'From 0; negative ones count from the end',
};
export const BOUND: Schema = {
  type: ['string', 'number'],
  maxLength: 64,
  pattern: String.raw`^(?:-inf|\+inf|\(?-?[0-9]{1,40}(?:\.[0-9]{1,40})?(?:[eE][+-]?[0-9]{1,3})?)$`,
  description: 'A score, `-inf` or `+inf`; behind `(` it does not belong itself',
};
export const SCAN: Readonly<Record<string, Schema>> = {
  cursor: {
    type: 'string',
    pattern: '^[0-9]{1,20}$',
    default: '0',
    description: 'As the call before answered it; `0` begins',
  },
  match: { type: 'string', minLength: 1, maxLength: 256, description: 'A glob pattern of what is answered' },
  count: {
    type: 'integer',
    minimum: 1,
    maximum: MOST_ROWS,
    default: 50,
    description: 'About how many are looked at; small collections come whole',
  },
};

export interface OfKey {
  readonly key: string;
}
export interface OfRange extends OfKey {
  readonly start: number;
  readonly stop: number;
}
export interface OfScan extends OfKey {
  readonly cursor: string;
  readonly match?: string;
  readonly count: number;
}

export function scan(name: 'HSCAN' | 'SSCAN' | 'ZSCAN', { key, cursor, match, count }: OfScan): Command {
  return [name, key, cursor, ...(match === undefined ? [] : ['MATCH', match]), 'COUNT', String(count)];
}

/** Refuses a range whose size depends on what is stored, and one of more than so many. */
export function requireRange(start: number, end: number, most: number, path: string): void {
  if (start < 0 !== end < 0)
    throw invalid(path, EdgeIssues.outOfRange, 'must count from the same end as where the range begins');
  if (end - start >= most) throw invalid(path, EdgeIssues.outOfRange, `must end a range of at most ${most}`);
}
