import type { Document, MongoClient } from 'mongodb';
import { isObject } from '../wire/index.ts';
import type { ClusterSession } from './cluster-clients.ts';
import { driver, EXPLAIN_MS } from './driver.ts';
import { judgePlan } from './plan-judge.ts';
import { isField, MOST_COLLECTIONS, MOST_FIELDS, MOST_LEVELS } from './settings.ts';

const SAMPLED = 20;
/** Names that are read of one database. */
const MOST_NAMES = 10_000;
/** Of what is sampled for one answer. */
const MOST_SAMPLED_BYTES = 4 * 1_024 * 1_024;
const BAD_VALUE = 2;

/** Names of the collections that the user may read, without views, time series and those of the server. */
export async function collectionsOf(session: ClusterSession, databaseName: string): Promise<readonly string[]> {
  const names: string[] = [];
  await session.ask(async (client) => {
    const { signal } = session;
    const options = { nameOnly: true, authorizedCollections: true, signal };
    for await (const { name, type } of client.db(databaseName).listCollections({}, options)) {
      if (type === 'collection' && !name.startsWith('system.')) names.push(name);
      if (names.length === MOST_NAMES) break;
    }
  });
  return names.toSorted();
}

export interface KnownIndex {
  readonly name: string;
  /** Field and direction, or the kind of an index that is not sorted. */
  readonly keys: readonly (readonly [string, unknown])[];
  readonly isPartial: boolean;
  readonly isHidden: boolean;
  readonly expireAfterSeconds: number | undefined;
}

export async function indexesOf(
  session: ClusterSession,
  databaseName: string,
  collection: string,
): Promise<readonly KnownIndex[]> {
  const found = await session.ask((client) =>
    client.db(databaseName).collection(collection).listIndexes({ maxTimeMS: EXPLAIN_MS }).toArray(),
  );
  return (found as readonly Document[]).flatMap((index) => {
    if (typeof index['name'] !== 'string' || !isObject(index['key'])) return [];
    const seconds: unknown = index['expireAfterSeconds'];
    return {
      name: index['name'],
      keys: Object.entries(index['key']),
      isPartial: index['partialFilterExpression'] !== undefined,
      isHidden: index['hidden'] === true,
      expireAfterSeconds: typeof seconds === 'number' ? seconds : undefined,
    };
  });
}

/** The stages with which documents of a range of one date are counted by day. */
export function countedByDay(field: string, from: Date, to: Date): readonly Document[] {
  return [
    { $match: { [field]: { $gte: from, $lt: to } } },
    { $group: { _id: { $dateTrunc: { date: `$${field}`, unit: 'day', timezone: 'UTC' } }, n: { $sum: 1 } } },
  ];
}

/**
 * Whether an index leads with the field and can count its days: sorted, of all documents, not hidden; and none of them has the
 * field as a list, which only a plan tells.
 */
export async function hasDayIndex(
  session: ClusterSession,
  databaseName: string,
  collection: string,
  field: string,
): Promise<boolean> {
  const indexes = await indexesOf(session, databaseName, collection);
  for (const index of indexes.filter((each) => leadsWith(each, field)))
    if (await countsDays(session, databaseName, collection, field, index.name)) return true;
  return false;
}

export function leadsWith({ keys, isPartial, isHidden }: KnownIndex, field: string): boolean {
  const [first] = keys;
  return first?.[0] === field && (first[1] === 1 || first[1] === -1) && !isPartial && !isHidden;
}

async function countsDays(
  session: ClusterSession,
  databaseName: string,
  collection: string,
  field: string,
  hint: string,
): Promise<boolean> {
  const pipeline = countedByDay(field, new Date(0), new Date(86_400_000));
  const verdict = await session.ask(async (client) => {
    const explained = await explainPipeline(client, databaseName, collection, pipeline, hint);
    return judgePlan(explained, { isFiltered: true, isLimited: false });
  });
  return verdict.isServed && verdict.index?.name === hint && verdict.index.isMultiKey === false;
}

export function explainPipeline(
  client: MongoClient,
  databaseName: string,
  collection: string,
  pipeline: readonly Document[],
  hint: string | undefined,
): Promise<Document> {
  return client
    .db(databaseName)
    .collection(collection)
    .aggregate([...pipeline], hint === undefined ? {} : { hint })
    .explain({ verbosity: 'queryPlanner', maxTimeMS: EXPLAIN_MS });
}

export interface SampledCollection {
  readonly name: string;
  readonly fields: string[];
  readonly sampled: number;
  /** Whether there were more fields than are named, or documents that were not looked into. */
  readonly truncated: boolean;
}

/** The collections of a database with the fields that a few of their documents have, which are suggestions; no values. */
export async function sampleDatabase(session: ClusterSession, databaseName: string) {
  const names = await collectionsOf(session, databaseName);
  const collections: SampledCollection[] = [];
  let bytes = 0;
  for (const name of names.slice(0, MOST_COLLECTIONS)) {
    if (bytes > MOST_SAMPLED_BYTES) {
      collections.push({ name, fields: [], sampled: 0, truncated: true });
      continue;
    }
    const sample = await sampleOf(session, databaseName, name);
    bytes += sample.bytes;
    collections.push(sample.collection);
  }
  return { collections, truncated: names.length > MOST_COLLECTIONS };
}

/** The first documents by their ids: along an index, and the same ones each time. */
async function sampleOf(session: ClusterSession, databaseName: string, name: string) {
  const { BSON, MongoServerError } = await driver();
  const { signal } = session;
  const options = {
    sort: { _id: 1 },
    hint: '_id_',
    limit: SAMPLED,
    singleBatch: true,
    maxTimeMS: EXPLAIN_MS,
    signal,
  } as const;
  const documents = await session.ask((client) =>
    client
      .db(databaseName)
      .collection(name)
      .find({}, options)
      .toArray()
      // One that is clustered by its ids has no index of them.
      .catch((error: unknown) => {
        if (error instanceof MongoServerError && error.code === BAD_VALUE) return [];
        throw error;
      }),
  );
  const fields = new Set<string>();
  let isWhole = true;
  for (const document of documents) isWhole = addFields(document, '', 1, fields) && isWhole;
  const bytes = documents.reduce((sum, document) => sum + BSON.calculateObjectSize(document), 0);
  const collection = { name, fields: [...fields].toSorted(), sampled: documents.length, truncated: !isWhole };
  return { collection, bytes };
}

/** Adds paths; false where some were left out. Of lists those of their elements; keys that no path can name are passed over. */
function addFields(value: unknown, prefix: string, level: number, fields: Set<string>): boolean {
  if (Array.isArray(value)) return value.map((each) => addFields(each, prefix, level, fields)).every(Boolean);
  if (!isObject(value) || '_bsontype' in value || value instanceof Date || value instanceof Uint8Array) return true;
  let isWhole = true;
  for (const [key, below] of Object.entries(value)) {
    const path = `${prefix}${key}`;
    if (key.includes('.') || !isField(path)) continue;
    if (level > MOST_LEVELS || (fields.size >= MOST_FIELDS && !fields.has(path))) return false;
    fields.add(path);
    isWhole = (level < MOST_LEVELS ? addFields(below, `${path}.`, level + 1, fields) : true) && isWhole;
  }
  return isWhole;
}
