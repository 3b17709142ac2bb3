import {
  BOUND,
  INDEX,
  KEY,
  type KeyValueRead,
  MOST_ROWS,
  type OfKey,
  type OfRange,
  type OfScan,
  read,
  requireRange,
  SCAN,
  scan,
  TEXT,
} from './key-value-read.ts';
import {
  atMost,
  count,
  countOrNone,
  flag,
  list,
  listOf,
  pairs,
  scanned,
  score,
  stored,
  storedOrNone,
} from './replies.ts';

type OfMember = OfKey & { readonly member: string };
interface OfScores extends OfKey {
  readonly min: string | number;
  readonly max: string | number;
}

const RANGE = { key: KEY, start: INDEX, stop: INDEX };
const MEMBER = { key: KEY, member: TEXT };
const SCORES = { key: KEY, min: BOUND, max: BOUND };
const FLAG = { type: 'boolean', default: false } as const;

const HASH_READS: readonly KeyValueRead[] = [
  read<OfKey & { readonly field: string }>('hget', {
    title: 'Read a field of a hash',
    description: 'Null where the field or the key is missing.',
    properties: { key: KEY, field: TEXT },
    commands: ({ key, field }) => [['HGET', key, field]],
    project: ([value]) => ({ value: storedOrNone(value) }),
  }),
  read<OfKey & { readonly fields: readonly string[] }>('hmget', {
    title: 'Read fields of a hash',
    description: 'The values of fields in their order; null for what is missing.',
    properties: { key: KEY, fields: { type: 'array', minItems: 1, maxItems: MOST_ROWS, items: TEXT } },
    commands: ({ key, fields }) => [['HMGET', key, ...fields]],
    project: ([value], { fields }) => {
      const values = listOf(fields.length, value);
      return { fields: fields.map((field, at) => ({ field, value: storedOrNone(values[at]) })) };
    },
  }),
  length('hlen', 'HLEN', 'Count the fields of a hash'),
  read<OfScan>('hscan', {
    title: 'Go through a hash',
    description: 'Some fields with their values, and the cursor to go on with; `0` where all were seen.',
    properties: { key: KEY, ...SCAN },
    optional: ['match'],
    commands: (args) => [scan('HSCAN', args)],
    project: ([value]) => {
      const { cursor, found } = scanned(value);
      return { cursor, fields: pairs(found, (field, each) => ({ field: stored(field), value: stored(each) })) };
    },
  }),
];

const LIST_READS: readonly KeyValueRead[] = [
  read<OfKey & { readonly index: number }>('lindex', {
    title: 'Read an element of a list',
    description: 'Null where there is none.',
    properties: { key: KEY, index: INDEX },
    commands: ({ key, index }) => [['LINDEX', key, String(index)]],
    project: ([value]) => ({ value: storedOrNone(value) }),
  }),
  length('llen', 'LLEN', 'Count a list'),
  read<OfRange>('lrange', {
    title: 'Read a part of a list',
    description: 'The elements from `start` to `stop`, both among them; at most 100.',
    properties: RANGE,
    check: ({ start, stop }, path) => requireRange(start, stop, MOST_ROWS, `${path}.stop`),
    commands: ({ key, start, stop }) => [['LRANGE', key, String(start), String(stop)]],
    project: ([value], { start, stop }) => ({ values: atMost(sizeOf(start, stop), value).map(stored) }),
  }),
];

const SET_READS: readonly KeyValueRead[] = [
  length('scard', 'SCARD', 'Count a set'),
  read<OfMember>('sismember', {
    title: 'Look for a member of a set',
    description: 'Whether the set has the member.',
    properties: MEMBER,
    commands: ({ key, member }) => [['SISMEMBER', key, member]],
    project: ([value]) => ({ isMember: flag(value) }),
  }),
  read<OfScan>('sscan', {
    title: 'Go through a set',
    description: 'Some members, and the cursor to go on with; `0` where all were seen.',
    properties: { key: KEY, ...SCAN },
    optional: ['match'],
    commands: (args) => [scan('SSCAN', args)],
    project: ([value]) => {
      const { cursor, found } = scanned(value);
      return { cursor, members: list(found).map(stored) };
    },
  }),
];

const SORTED_SET_READS: readonly KeyValueRead[] = [
  length('zcard', 'ZCARD', 'Count a sorted set'),
  read<OfMember>('zscore', {
    title: 'Read the score of a member',
    description: 'Of a sorted set; null where the member is missing.',
    properties: MEMBER,
    commands: ({ key, member }) => [['ZSCORE', key, member]],
    project: ([value]) => ({ score: value === null ? null : score(value) }),
  }),
  read<OfMember>('zrank', {
    title: 'Read the rank of a member',
    description: 'Of a sorted set, from 0 by rising score; null where the member is missing.',
    properties: MEMBER,
    commands: ({ key, member }) => [['ZRANK', key, member]],
    project: ([value]) => ({ rank: countOrNone(value) }),
  }),
  read<OfScores>('zcount', {
    title: 'Count members by score',
    description: 'Members of a sorted set whose score lies between two.',
    properties: SCORES,
    commands: ({ key, min, max }) => [['ZCOUNT', key, String(min), String(max)]],
    project: ([value]) => ({ count: count(value) }),
  }),
  read<OfRange & { readonly rev: boolean; readonly withScores: boolean }>('zrange', {
    title: 'Read a part of a sorted set',
    description: 'Members by rank from `start` to `stop`, both among them; at most 100.',
    properties: { ...RANGE, rev: FLAG, withScores: FLAG },
    check: ({ start, stop }, path) => requireRange(start, stop, MOST_ROWS, `${path}.stop`),
    commands: ({ key, start, stop, rev, withScores }) => [
      ['ZRANGE', key, String(start), String(stop), ...(rev ? ['REV'] : []), ...(withScores ? ['WITHSCORES'] : [])],
    ],
    project: ([value], { start, stop, withScores }) => ({ members: rangeOf(value, sizeOf(start, stop), withScores) }),
  }),
  read<OfScores & { readonly offset: number; readonly limit: number; readonly withScores: boolean }>('zrangebyscore', {
    title: 'Read members by score',
    description: 'Members of a sorted set whose score lies between two, by rising score.',
    properties: {
      ...SCORES,
      offset: { type: 'integer', minimum: 0, maximum: 1_000_000, default: 0 },
      limit: { type: 'integer', minimum: 1, maximum: MOST_ROWS, default: 50 },
      withScores: FLAG,
    },
    commands: ({ key, min, max, offset, limit, withScores }) => {
      const page = ['LIMIT', String(offset), String(limit), ...(withScores ? ['WITHSCORES'] : [])];
      return [['ZRANGE', key, String(min), String(max), 'BYSCORE', ...page]];
    },
    project: ([value], { limit, withScores }) => ({ members: rangeOf(value, limit, withScores) }),
  }),
  read<OfScan>('zscan', {
    title: 'Go through a sorted set',
    description: 'Some members with their scores, and the cursor to go on with; `0` where all were seen.',
    properties: { key: KEY, ...SCAN },
    optional: ['match'],
    commands: (args) => [scan('ZSCAN', args)],
    project: ([value]) => {
      const { cursor, found } = scanned(value);
      return { cursor, members: membersOf(found, true) };
    },
  }),
];

export const COLLECTION_READS = [...HASH_READS, ...LIST_READS, ...SET_READS, ...SORTED_SET_READS];

function length(name: string, command: 'HLEN' | 'LLEN' | 'SCARD' | 'ZCARD', title: string): KeyValueRead {
  return read<OfKey>(name, {
    title,
    description: '0 where the key is missing.',
    properties: { key: KEY },
    commands: ({ key }) => [[command, key]],
    project: ([value]) => ({ count: count(value) }),
  });
}

/** Elements of a range, both ends among them. */
function sizeOf(start: number, stop: number): number {
  return Math.max(0, stop - start + 1);
}

function rangeOf(value: unknown, most: number, withScores: boolean): readonly object[] {
  return membersOf(atMost(withScores ? 2 * most : most, value), withScores);
}

function membersOf(value: unknown, withScores: boolean): readonly object[] {
  return withScores
    ? pairs(value, (member, each) => ({ member: stored(member), score: score(each) }))
    : list(value).map((member) => ({ member: stored(member) }));
}
