import { describe, expect, it } from '@jest/globals';
import type { ApiError } from '../../../kernel/errors/index.ts';
import { scopedArguments } from './planned-reads.ts';

const PREFIX = { mode: 'prefix', prefix: 'app:' } as const;

/** Where arguments are refused, and why. */
function refusal(tool: string, args: object, mayCall = true): readonly string[] {
  try {
    scopedArguments(`upstash_${tool}`, args as Readonly<Record<string, unknown>>, PREFIX, () => mayCall);
    return [];
  } catch (error) {
    const [issue] = (error as ApiError).issues!;
    return [issue!.path, issue!.code];
  }
}

describe('keys', () => {
  it.each<[string, object, string]>([
    ['get', { key: 'other' }, 'arguments.key'],
    ['get', { key: 'App:s' }, 'arguments.key'],
    ['get', { key: 'app' }, 'arguments.key'],
    ['get', { key: ' app:s' }, 'arguments.key'],
    ['mget', { keys: ['app:a', 'other'] }, 'arguments.keys.1'],
    ['exists', { keys: ['app:a', 'app:b', 'other'] }, 'arguments.keys.2'],
    ['hmget', { key: 'other', fields: ['app:'] }, 'arguments.key'],
    ['zrange', { key: 'other', start: 0, stop: 1 }, 'arguments.key'],
    [
      'batch',
      {
        reads: [
          { tool: 'upstash_get', arguments: { key: 'app:a' } },
          { tool: 'upstash_mget', arguments: { keys: ['other'] } },
        ],
      },
      'arguments.reads.1.arguments.keys.0',
    ],
    ['collection_count', { key: 'other' }, 'arguments.key'],
  ])('%s %j is outside', (tool, args, path) => {
    expect(refusal(tool, args)).toEqual([path, 'not_permitted']);
  });

  it('are compared letter by letter, whatever a pattern would say', () => {
    const scope = { mode: 'prefix', prefix: 'a*' } as const;
    const of = (key: string) => () => scopedArguments('upstash_get', { key }, scope, () => true);
    expect(of('a*1')()).toEqual({ key: 'a*1' });
    expect(of('ab')).toThrow();
    // The same letter, composed otherwise, is another key.
    const accented = { mode: 'prefix', prefix: '\u00e9' } as const;
    expect(() => scopedArguments('upstash_get', { key: 'e\u0301' }, accented, () => true)).toThrow();
  });
});

describe('arguments', () => {
  it.each<[string, object, string]>([
    ['get', {}, 'arguments.key'],
    ['get', { key: '' }, 'arguments.key'],
    ['get', { key: 'app:a', other: 1 }, 'arguments.other'],
    ['get', { key: `app:${'a'.repeat(1_021)}` }, 'arguments.key'],
    ['get', { key: `app:${'é'.repeat(511)}` }, 'arguments.key'],
    ['mget', { keys: [] }, 'arguments.keys'],
    ['mget', { keys: Array.from({ length: 65 }, () => 'app:a') }, 'arguments.keys'],
    ['getrange', { key: 'app:a', start: 0, end: 65_536 }, 'arguments.end'],
    ['getrange', { key: 'app:a', start: 0, end: -1 }, 'arguments.end'],
    ['lrange', { key: 'app:a', start: 0, stop: 100 }, 'arguments.stop'],
    ['lrange', { key: 'app:a', start: 0, stop: -1 }, 'arguments.stop'],
    ['lrange', { key: 'app:a', start: 0.5, stop: 1 }, 'arguments.start'],
    ['zrange', { key: 'app:a', start: -200, stop: -1 }, 'arguments.stop'],
    ['hscan', { key: 'app:a', cursor: '-1' }, 'arguments.cursor'],
    ['hscan', { key: 'app:a', count: 101 }, 'arguments.count'],
    ['zcount', { key: 'app:a', min: 'nan', max: 1 }, 'arguments.min'],
    ['zcount', { key: 'app:a', min: '1 2', max: 1 }, 'arguments.min'],
    ['xrange', { key: 'app:a', start: '1-1 COUNT' }, 'arguments.start'],
    ['json_get', { key: 'app:a', path: 'a' }, 'arguments.path'],
    ['batch', { reads: [] }, 'arguments.reads'],
    ['batch', { reads: [{ tool: 'upstash_batch', arguments: { reads: [] } }] }, 'arguments.reads.0.tool'],
    ['batch', { reads: [{ tool: 'upstash_get', arguments: {} }] }, 'arguments.reads.0.arguments.key'],
    [
      'batch',
      {
        reads: [1, 2].map(() => ({
          tool: 'upstash_exists',
          arguments: { keys: Array.from({ length: 33 }, () => 'app:a') },
        })),
      },
      'arguments.reads',
    ],
    ['get', { key: 'app:\ud800' }, 'arguments.key'],
    ['hget', { key: 'app:a', field: '\udc00' }, 'arguments.field'],
  ])('%s %j cannot be meant', (tool, args, path) => {
    expect(refusal(tool, args)[0]).toBe(path);
  });

  it('get their defaults', () => {
    expect(scopedArguments('upstash_hscan', { key: 'a' }, { mode: 'all' }, () => true)).toEqual({
      key: 'a',
      cursor: '0',
      count: 50,
    });
  });

  it('of a batch name only what may be called', () => {
    const reads = [{ tool: 'upstash_get', arguments: { key: 'app:a' } }];
    expect(refusal('batch', { reads })).toEqual([]);
    expect(refusal('batch', { reads }, false)).toEqual(['arguments.reads.0.tool', 'unknown_reference']);
  });
});
