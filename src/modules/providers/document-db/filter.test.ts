import { describe, expect, it } from '@jest/globals';
import { checkFilter, driverFilter, type Filter } from './filter.ts';
import { instantOf } from './instant.ts';

const FIELDS = new Set(['_id', 'total', 'state', 'placedAt', 'customer.id', 'lines.0.sku']);
const ID = 'a'.repeat(24);
const check = (filter: unknown) => checkFilter(filter as Filter, FIELDS, 'arguments.filter');
const nested = (depth: number): Filter => (depth === 0 ? { total: 1 } : { $and: [nested(depth - 1)] });
const times = <T>(count: number, value: T): readonly T[] => Array.from({ length: count }, () => value);

describe('a filter', () => {
  it.each<[unknown]>([
    [{}],
    [{ total: 1, state: 'paid', 'customer.id': null, 'lines.0.sku': true }],
    [{ _id: { $oid: ID } }],
    [{ placedAt: { $gte: { $date: '2026-01-01T00:00:00Z' }, $lt: { $date: '2026-01-02T00:00+01:00' } } }],
    [{ state: ['a', { $oid: ID }, { $date: '2026-01-01T00:00:00.123456Z' }] }],
    [{ state: { $in: times(100, 'a') }, total: { $nin: [1, 2] } }],
    [{ total: { $not: { $gt: 5, $not: { $exists: true } } } }],
    [{ $or: [{ total: { $eq: 1 } }, { $nor: [{ $and: times(10, { state: { $ne: 'x' } }) }] }] }],
    [nested(3)],
    [{ $and: times(4, { $or: times(10, { total: 1 }) }) }],
  ])('%j is taken', (filter) => {
    expect(() => check(filter)).not.toThrow();
  });

  it.each<[unknown, string]>([
    [{ secret: 1 }, 'secret'],
    [{ customer: { id: 1 } }, 'customer'],
    [{ 'customer.id.x': 1 }, 'customer.id.x'],
    [{ 'lines.1.sku': 1 }, 'lines.1.sku'],
    [JSON.parse('{"constructor": 1}'), 'constructor'],
    [JSON.parse('{"__proto__": 1}'), '__proto__'],
    ...[
      '$where',
      '$expr',
      '$function',
      '$accumulator',
      '$jsonSchema',
      '$text',
      '$near',
      '$nearSphere',
      '$geoWithin',
      '$comment',
      '$rand',
      '$sampleRate',
      '$search',
      '$vectorSearch',
      '$eq',
      '$oid',
      '$future',
    ].map((operator): [unknown, string] => [{ [operator]: 'x' }, operator]),
    ...[
      '$regex',
      '$options',
      '$mod',
      '$type',
      '$size',
      '$all',
      '$elemMatch',
      '$bitsAllSet',
      '$near',
      '$geoIntersects',
      '$where',
      '$expr',
      '$and',
      '$numberLong',
      '$numberInt',
      '$numberDouble',
      '$numberDecimal',
      '$binary',
      '$uuid',
      '$regularExpression',
      '$timestamp',
      '$code',
      '$dbPointer',
      '$minKey',
      '$maxKey',
      '$symbol',
      '$ref',
      '$undefined',
    ].map((operator): [unknown, string] => [{ total: { [operator]: 1 } }, `total.${operator}`]),
    [{ total: {} }, 'total'],
    [{ total: [] }, 'total'],
    [{ total: times(101, 1) }, 'total'],
    [{ total: [[1]] }, 'total.0'],
    [{ total: [{ a: 1 }] }, 'total.0'],
    [{ total: { a: 1 } }, 'total.a'],
    [{ total: { $gt: { $gt: 1 } } }, 'total.$gt'],
    [{ total: { $gt: [1] } }, 'total.$gt'],
    [{ total: { $in: 1 } }, 'total.$in'],
    [{ total: { $in: [] } }, 'total.$in'],
    [{ total: { $in: times(101, 1) } }, 'total.$in'],
    [{ total: { $exists: 1 } }, 'total.$exists'],
    [{ total: { $not: 1 } }, 'total.$not'],
    [{ total: { $not: {} } }, 'total.$not'],
    [{ total: { $not: { $regex: 'a' } } }, 'total.$not.$regex'],
    [{ total: Number.NaN }, 'total'],
    [{ total: 'x'.repeat(4_097) }, 'total'],
    [{ total: '\uD800' }, 'total'],
    [{ _id: { $oid: 'a'.repeat(23) } }, '_id.$oid'],
    [{ _id: { $oid: 'g'.repeat(24) } }, '_id.$oid'],
    [{ _id: { $oid: 5 } }, '_id.$oid'],
    [{ _id: { $oid: ID, $date: '2026-01-01T00:00:00Z' } }, '_id.$oid'],
    [{ placedAt: { $date: 5 } }, 'placedAt.$date'],
    [{ placedAt: { $date: { $numberLong: '5' } } }, 'placedAt.$date'],
    [{ placedAt: { $date: '2026-01-01' } }, 'placedAt.$date'],
    [{ placedAt: { $date: '2026-01-01T00:00:00' } }, 'placedAt.$date'],
    [{ $and: { total: 1 } }, '$and'],
    [{ $and: [] }, '$and'],
    [{ $or: times(11, { total: 1 }) }, '$or'],
    [{ $or: [{}] }, '$or.0'],
    [{ $or: [[{ total: 1 }]] }, '$or.0'],
    [{ $or: [{ total: 1 }, { hidden: { $where: 'x' } }] }, '$or.1.hidden'],
    [nested(4), '$and.0.$and.0.$and.0.$and.0'],
    [{ $and: times(5, { $or: times(9, { total: 1 }) }) }, '$and.4.$or.4.total'],
  ])('%j is refused at its first wrong part', (filter, path) => {
    expect(() => check(filter)).toThrow(
      expect.objectContaining({ issues: [expect.objectContaining({ path: `arguments.filter.${path}` })] }),
    );
  });

  it('becomes values of the database without prototypes, and plain text stays text', () => {
    const filter = {
      $and: [{ _id: { $in: [{ $oid: ID }, ID] } }],
      placedAt: { $gt: { $date: '2026-01-01T01:00:00+01:00' } },
    };
    const made = driverFilter(filter, { objectId: (hex) => ['id', hex] });
    expect(JSON.parse(JSON.stringify(made))).toEqual({
      $and: [{ _id: { $in: [['id', ID], ID] } }],
      placedAt: { $gt: '2026-01-01T00:00:00.000Z' },
    });
    expect(Object.getPrototypeOf(made)).toBeNull();
    expect(Object.getPrototypeOf((made['$and'] as object[])[0])).toBeNull();
  });
});

describe('an instant', () => {
  it.each([
    ['2026-01-01T00:00Z', '2026-01-01T00:00:00.000Z'],
    ['2026-01-01T00:00:59.9999Z', '2026-01-01T00:00:59.999Z'],
    ['2026-01-01T00:00:00.5-0130', '2026-01-01T01:30:00.500Z'],
    ['2024-02-29T12:00:00+14:00', '2024-02-28T22:00:00.000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ])('is read in %s', (text, instant) => {
    expect(instantOf(text)?.toISOString()).toBe(instant);
  });

  it.each([
    '2026-01-01',
    '2026-01-01T00:00:00',
    '2026-01-01 00:00:00Z',
    '2026-02-30T00:00:00Z',
    '2025-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-12-31T23:59:60Z',
    '2026-01-01T00:00:00.1234567890Z',
    '0000-01-01T00:00:00Z',
    '0001-01-01T00:00:00+01:00',
    '9999-12-31T23:59:59-01:00',
    '+12026-01-01T00:00:00Z',
    '2026-01-01T00:00:00+24:00',
    '2026-01-01T00:00:00z',
    '1767225600000',
  ])('is not read in %s', (text) => {
    expect(instantOf(text)).toBeUndefined();
  });
});
