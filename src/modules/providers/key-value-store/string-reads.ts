import { INDEX, KEY, type KeyValueRead, KEYS, type OfKey, read, requireRange } from './key-value-read.ts';
import { count, flag, integer, listOf, stored, storedOrNone, word } from './replies.ts';

const MOST_RANGE_BYTES = 65_536;

interface OfKeys {
  readonly keys: readonly string[];
}

/** What every key has, and strings. */
export const STRING_READS: readonly KeyValueRead[] = [
  read<OfKey>('get', {
    title: 'Read a string',
    description: 'The value of a string; null where the key is missing.',
    properties: { key: KEY },
    commands: ({ key }) => [['GET', key]],
    project: ([value]) => ({ value: storedOrNone(value) }),
  }),
  read<OfKeys>('mget', {
    title: 'Read several strings',
    description: 'The values of strings in the order of their keys; null for what is missing or no string.',
    properties: { keys: KEYS },
    commands: ({ keys }) => [['MGET', ...keys]],
    project: ([value], { keys }) => ({ values: ofEach(keys, listOf(keys.length, value), storedOrNone, 'value') }),
  }),
  read<OfKeys>('exists', {
    title: 'See which keys exist',
    description: 'Whether each of the keys exists.',
    properties: { keys: KEYS },
    commands: ({ keys }) => keys.map((key) => ['EXISTS', key]),
    project: (values, { keys }) => ({ keys: ofEach(keys, values, flag, 'exists') }),
  }),
  read<OfKey>('type', {
    title: 'See what a key holds',
    description: 'Such as `string`, `hash`, `list`, `set`, `zset` or `stream`; `none` where the key is missing.',
    properties: { key: KEY },
    commands: ({ key }) => [['TYPE', key]],
    project: ([value]) => ({ type: word(value) }),
  }),
  read<OfKey>('ttl', {
    title: 'See how long a key lives',
    description: 'Milliseconds until the key goes; -1 where it does not, -2 where it is missing.',
    properties: { key: KEY },
    commands: ({ key }) => [['PTTL', key]],
    project: ([value]) => ({ milliseconds: integer(value) }),
  }),
  read<OfKey>('strlen', {
    title: 'Measure a string',
    description: 'Bytes of a string; 0 where the key is missing.',
    properties: { key: KEY },
    commands: ({ key }) => [['STRLEN', key]],
    project: ([value]) => ({ bytes: count(value) }),
  }),
  read<OfKey & { readonly start: number; readonly end: number }>('getrange', {
    title: 'Read a part of a string',
    description: 'The bytes of a string from `start` to `end`, both among them; at most 65,536.',
    properties: { key: KEY, start: INDEX, end: INDEX },
    mostCharacters: MOST_RANGE_BYTES,
    check: ({ start, end }, path) => requireRange(start, end, MOST_RANGE_BYTES, `${path}.end`),
    commands: ({ key, start, end }) => [['GETRANGE', key, String(start), String(end)]],
    project: ([value]) => ({ value: stored(value) }),
  }),
];

/** What was read of each key, beside it. */
function ofEach(
  keys: readonly string[],
  values: readonly unknown[],
  of: (value: unknown) => unknown,
  name: string,
): readonly object[] {
  return keys.map((key, at) => ({ key, [name]: of(values[at]) }));
}
