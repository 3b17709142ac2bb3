import type { Document, MongoClient } from 'mongodb';
import { EdgeIssues, invalid } from '../../../kernel/errors/index.ts';
import type { ListedTool, ToolCall, ToolOutput } from '../../integrations/index.ts';
import { failed, isObject, outputOf } from '../wire/index.ts';
import { allowedPart, projectionOf } from './allowed-fields.ts';
import type { ClusterSession } from './cluster-clients.ts';
import { driver, EXPLAIN_MS, MAJORITY, RUN_MS } from './driver.ts';
import { checkFilter, driverFilter, type Filter } from './filter.ts';
import { explainPipeline, indexesOf } from './inspection.ts';
import { FIXED } from './manifest.ts';
import { judgePlan, type Planned, type UsedIndex } from './plan-judge.ts';
import { plainValue } from './plain-values.ts';
import { type CollectionScope, type DocumentDbSettings, scopeOf } from './settings.ts';

const MOST_BYTES = 1_024 * 1_024;
/** The index of ids, which every collection has but one that is clustered by them. */
const IDS = '_id_';

interface FindArguments {
  readonly collection: string;
  readonly filter?: Filter;
  readonly fields?: readonly string[];
  readonly sort?: readonly { readonly field: string; readonly direction: 1 | -1 }[];
  readonly limit: number;
}
type CountArguments = Pick<FindArguments, 'collection' | 'filter'>;

/** A call within its scope; the settings are those that it was judged by. */
export interface DocumentDbCall extends ToolCall {
  readonly settings: DocumentDbSettings;
}

/** The tools with the collections of the settings in their schemas. */
export function scopedTools(settings: DocumentDbSettings | null): readonly ListedTool[] {
  if (!settings) return FIXED.listed();
  const names = settings.collections.map(({ name }) => name);
  return FIXED.listed((_, argument, schema) => (argument === 'collection' ? { ...schema, enum: names } : schema));
}

/** Checks all that can be checked without asking anybody: arguments, collection, fields, operators, literals. */
export function scopedCall(
  tool: ListedTool,
  args: Readonly<Record<string, unknown>>,
  settings: DocumentDbSettings | null,
): DocumentDbCall {
  const checked = FIXED.checked(tool.name, args);
  if (!settings) throw invalid('arguments', EdgeIssues.unknownReference, 'name nothing: the connector has no settings');
  if (tool.name === 'list_collections') return { tool, arguments: checked, settings };
  const { collection, filter, fields = [], sort = [] } = checked as unknown as FindArguments;
  const scope = scopeOf(settings, collection);
  if (!scope)
    throw invalid('arguments.collection', EdgeIssues.unknownValue, 'is no collection in the scope of this connector');
  const allowed = new Set(scope.fields);
  const named = [
    ...fields.map((field, index) => [field, `fields.${index}`] as const),
    ...sort.map(({ field }, index) => [field, `sort.${index}.field`] as const),
  ];
  for (const [field, path] of named)
    if (!allowed.has(field))
      throw invalid(`arguments.${path}`, EdgeIssues.unknownReference, 'is no field in the scope of this connector');
  const twice = sort.findIndex(({ field }, index) => sort.findIndex((each) => each.field === field) !== index);
  if (twice !== -1) throw invalid(`arguments.sort.${twice}.field`, EdgeIssues.duplicateItem);
  if (filter) checkFilter(filter, allowed, 'arguments.filter');
  return { tool, arguments: checked, settings };
}

export async function carryOut(call: DocumentDbCall, session: ClusterSession): Promise<ToolOutput> {
  const { tool, settings } = call;
  if (tool.name === 'list_collections') return listCollections(settings, session);
  const args = call.arguments as unknown as FindArguments;
  const scope = scopeOf(settings, args.collection)!;
  return tool.name === 'find_documents'
    ? findDocuments(args, scope, settings, session)
    : countDocuments(args, settings, session);
}

/** Of indexes only those whose fields may all be read: their names tell of fields. */
async function listCollections(
  { databaseName, collections }: DocumentDbSettings,
  session: ClusterSession,
): Promise<ToolOutput> {
  const listed: object[] = [];
  for (const { name, fields } of collections) {
    const indexes = await indexesOf(session, databaseName, name);
    const allowed = new Set(['_id', ...fields]);
    const known = indexes.filter(({ keys, isHidden }) => !isHidden && keys.every(([field]) => allowed.has(field)));
    listed.push({
      name,
      fields,
      indexes: known.map((index) => ({ name: index.name, keys: Object.fromEntries(index.keys) })),
    });
  }
  return outputOf({ collections: listed });
}

/** Asks how it would be served, of exactly what runs then; and runs it by the index that serves it. */
async function findDocuments(
  { collection, filter, fields, sort, limit }: FindArguments,
  scope: CollectionScope,
  { databaseName }: DocumentDbSettings,
  session: ClusterSession,
): Promise<ToolOutput> {
  const { BSON } = await driver();
  const wanted = fields ?? scope.fields;
  const isFiltered = filter !== undefined && Object.keys(filter).length > 0;
  const condition = await conditionOf(filter);
  const options = {
    projection: projectionOf(wanted),
    limit,
    batchSize: limit,
    singleBatch: true,
    ...(sort ? { sort: new Map(sort.map(({ field, direction }) => [field, direction])) } : {}),
  };
  const find = (client: MongoClient, hint: string | undefined, more: object) =>
    client
      .db(databaseName)
      .collection(collection)
      .find(condition, { ...options, ...more, ...(hint === undefined ? {} : { hint }) });
  const first = isFiltered || sort ? undefined : IDS;
  const hint = await hintFor(session, { isFiltered, isLimited: true }, first, (client) =>
    find(client, first, {}).explain({ verbosity: 'queryPlanner', maxTimeMS: EXPLAIN_MS }),
  );
  const documents: object[] = [];
  let bytes = 0;
  await session.ask(async (client) => {
    for await (const document of find(client, hint, { ...MAJORITY, maxTimeMS: RUN_MS, signal: session.signal })) {
      bytes += BSON.calculateObjectSize(document);
      if (bytes > MOST_BYTES) throw failed('bad_answer', { reason: 'result_too_large' });
      documents.push(plainValue(allowedPart(document, wanted), BSON) as object);
    }
  }, hint !== undefined);
  return outputOf({ documents });
}

async function countDocuments(
  { collection, filter }: CountArguments,
  { databaseName }: DocumentDbSettings,
  session: ClusterSession,
): Promise<ToolOutput> {
  const { BSON } = await driver();
  const isFiltered = filter !== undefined && Object.keys(filter).length > 0;
  const condition = await conditionOf(filter);
  // What the driver sends to count.
  const pipeline = [{ $match: condition }, { $group: { _id: 1, n: { $sum: 1 } } }];
  const first = isFiltered ? undefined : IDS;
  const hint = await hintFor(session, { isFiltered, isLimited: false }, first, (client) =>
    explainPipeline(client, databaseName, collection, pipeline, first),
  );
  const { signal } = session;
  const count: unknown = await session.ask(
    (client) =>
      client
        .db(databaseName)
        .collection(collection)
        .countDocuments(condition, { ...MAJORITY, maxTimeMS: RUN_MS, signal, ...(hint === undefined ? {} : { hint }) }),
    hint !== undefined,
  );
  const number = plainValue(count, BSON);
  if (!isCount(number)) throw failed('bad_answer');
  return outputOf({ count: number });
}

/** The index to name in the call itself; throws `needs_index` where it would not be served. */
async function hintFor(
  session: ClusterSession,
  planned: Planned,
  first: string | undefined,
  explain: (client: MongoClient) => Promise<Document>,
): Promise<string | undefined> {
  const verdict = judgePlan(await session.ask(explain, first !== undefined), planned);
  if (!verdict.isServed) throw failed('rejected', { reason: 'needs_index' });
  const index: UsedIndex | null = verdict.index;
  return index?.name ?? undefined;
}

async function conditionOf(filter: Filter | undefined): Promise<Document> {
  const { ObjectId } = await driver();
  return driverFilter(filter ?? {}, { objectId: (hex) => new ObjectId(hex) });
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) || (isObject(value) && typeof value['$numberLong'] === 'string');
}
