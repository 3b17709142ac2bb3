import { KEY, type KeyValueRead, MOST_ROWS, type OfKey, read } from './key-value-read.ts';
import { atMost, count as countIn, listOf, pairs, stored, storedOrNone, word } from './replies.ts';

interface OfEntries extends OfKey {
  readonly start: string;
  readonly end: string;
  readonly count: number;
}

const ENTRY_ID = { type: 'string', pattern: String.raw`^(?:[-+]|\(?[0-9]{1,20}(?:-[0-9]{1,20})?)$` } as const;

/** The one command that counts what a key of each type holds; other types are not counted. */
export const COUNTING: ReadonlyMap<string, 'LLEN' | 'SCARD' | 'ZCARD' | 'HLEN' | 'XLEN'> = new Map([
  ['list', 'LLEN'],
  ['set', 'SCARD'],
  ['zset', 'ZCARD'],
  ['hash', 'HLEN'],
  ['stream', 'XLEN'],
]);

/** Streams and JSON, and what counts collections of any type. */
export const DOCUMENT_READS: readonly KeyValueRead[] = [
  read<OfKey>('xlen', {
    title: 'Count a stream',
    description: '0 where the key is missing.',
    properties: { key: KEY },
    commands: ({ key }) => [['XLEN', key]],
    project: ([value]) => ({ count: countIn(value) }),
  }),
  read<OfEntries>('xrange', {
    title: 'Read a part of a stream',
    description: 'Entries by rising id; behind `(` an id does not belong itself.',
    properties: {
      key: KEY,
      start: { ...ENTRY_ID, default: '-' },
      end: { ...ENTRY_ID, default: '+' },
      count: { type: 'integer', minimum: 1, maximum: MOST_ROWS, default: 50 },
    },
    commands: ({ key, start, end, count }) => [['XRANGE', key, start, end, 'COUNT', String(count)]],
    project: ([value], { count }) => ({ entries: atMost(count, value).map(entryOf) }),
  }),
  read<OfKey & { readonly path: string }>('json_get', {
    title: 'Read a part of a JSON document',
    description: 'As JSON text, exactly as the store has it; null where the key is missing.',
    properties: { key: KEY, path: { type: 'string', maxLength: 256, pattern: '^[$.]' } },
    commands: ({ key, path }) => [['JSON.GET', key, path]],
    project: ([value]) => ({ json: storedOrNone(value) }),
  }),
  read<OfKey>('json_type', {
    title: 'See what a JSON document is',
    description: 'Such as `object` or `array`; none where the key is missing.',
    properties: { key: KEY },
    commands: ({ key }) => [['JSON.TYPE', key]],
    project: ([value]) => ({ types: value === null ? [] : [value].flat().map(word) }),
  }),
  read<OfKey>('collection_count', {
    title: 'Count a collection',
    description:
      'The type of a key, and how many elements, members, fields or entries it has; null of what is no collection.',
    properties: { key: KEY },
    commands: ({ key }) => [['TYPE', key]],
    next: ([type], { key }) => {
      const counting = COUNTING.get(word(type));
      return counting && [counting, key];
    },
    project: ([type, count]) => ({ type: word(type), count: count === undefined ? null : countIn(count) }),
  }),
];

function entryOf(entry: unknown): object {
  const [id, fields] = listOf(2, entry);
  return { id: word(id), fields: pairs(fields, (field, value) => ({ field: stored(field), value: stored(value) })) };
}
