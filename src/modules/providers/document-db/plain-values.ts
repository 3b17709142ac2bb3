import type { Long } from 'mongodb';
import { isObject } from '../wire/index.ts';

type Bson = (typeof import('mongodb'))['BSON'];

const MOST_DEPTH = 100;

/**
 * A value of the database as relaxed extended JSON. A 64-bit integer that a double cannot hold stays exact, as
 * `{"$numberLong": …}`; what is nested deeper than the database allows is left out.
 */
export function plainValue(value: unknown, bson: Bson, depth = 0): unknown {
  if (depth > MOST_DEPTH) return null;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (Array.isArray(value)) return value.map((each) => plainValue(each, bson, depth + 1));
  if (!isObject(value)) return typeof value === 'number' || typeof value === 'bigint' ? relaxed(value, bson) : value;
  if (value['_bsontype'] === 'Long') return exactInteger(value as unknown as Long);
  if ('_bsontype' in value || value instanceof Date || value instanceof RegExp || value instanceof Uint8Array)
    return relaxed(value, bson);
  const plain = Object.create(null) as Record<string, unknown>;
  for (const [key, each] of Object.entries(value)) plain[key] = plainValue(each, bson, depth + 1);
  return plain;
}

function exactInteger(long: Long): unknown {
  const number = long.toNumber();
  return Number.isSafeInteger(number) ? number : { $numberLong: long.toString() };
}

function relaxed(value: unknown, { EJSON }: Bson): unknown {
  return (EJSON.serialize({ value }, { relaxed: true }) as Record<string, unknown>)['value'];
}
