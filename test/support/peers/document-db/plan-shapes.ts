import { MaxKey, MinKey } from 'mongodb';

type Node = Readonly<Record<string, unknown>>;

/** An answer to `explain`, for a call with a filter and a bound on rows unless said. */
export interface PlanShape {
  readonly name: string;
  readonly explained: Node;
  readonly planned?: { readonly isFiltered: boolean; readonly isLimited: boolean };
}

export interface ServedShape extends PlanShape {
  /** The index that is named as a hint. */
  readonly index: string | null;
}

const COUNT_ALL = { isFiltered: false, isLimited: false };
const COUNT_SOME = { isFiltered: true, isLimited: false };
const LIST_ALL = { isFiltered: false, isLimited: true };

export function scan(field = 'total', bounds: readonly string[] = ['[5, inf.0]'], indexName = `${field}_1`): Node {
  return {
    stage: 'IXSCAN',
    keyPattern: { [field]: 1 },
    indexName,
    isMultiKey: false,
    isSparse: false,
    direction: 'forward',
    indexBounds: { [field]: bounds },
  };
}
const WHOLE = ['[MinKey, MaxKey]'];
export const COLLSCAN: Node = { stage: 'COLLSCAN', direction: 'forward', filter: {} };
const node = (stage: string, inputStage: Node): Node => ({ stage, inputStage });
const classic = (winningPlan: unknown): Node => ({
  explainVersion: '1',
  queryPlanner: { namespace: 'shop.orders', winningPlan, rejectedPlans: [node('FETCH', COLLSCAN)] },
  ok: 1,
});
const slots = (queryPlan: Node): Node => ({
  explainVersion: '2',
  queryPlanner: {
    winningPlan: { queryPlan, slotBasedPlan: { slots: '$$RESULT=s5', stages: 'scan COLLSCAN' } },
    rejectedPlans: [],
  },
  ok: 1,
});
const FETCHED = node('LIMIT', node('FETCH', scan()));
const shard = (shardName: string, winningPlan: Node): Node => ({ shardName, winningPlan, rejectedPlans: [] });
const sharded = (stage: string, shards: unknown): Node => classic({ stage, shards });
const pipeline = (cursor: Node, ...more: readonly Node[]): Node => ({
  stages: [{ $cursor: cursor }, ...more],
  ok: 1,
});
const GROUP = { $group: { _id: { $const: 1 }, n: { $sum: { $const: 1 } } } };

export const SERVED: readonly ServedShape[] = [
  { name: 'the classic engine: fetched from one index', explained: classic(FETCHED), index: 'total_1' },
  {
    name: 'the classic engine: covered by one index',
    explained: classic(node('PROJECTION_COVERED', scan())),
    index: 'total_1',
  },
  {
    name: 'the classic engine: several branches of the same index',
    explained: classic({ stage: 'OR', inputStages: [scan(), scan()] }),
    index: 'total_1',
  },
  {
    name: 'the classic engine: branches of two indexes',
    explained: classic(node('FETCH', { stage: 'OR', inputStages: [scan(), scan('state', ['["a", "a"]'])] })),
    index: null,
  },
  {
    name: 'an intersection of two indexes',
    explained: classic({ stage: 'AND_SORTED', inputStages: [scan(), scan('state', ['["a", "a"]'])] }),
    index: null,
  },
  {
    name: 'a subplan with a blocking sort below the bound on rows',
    explained: classic(node('SUBPLAN', node('SORT', node('FETCH', scan())))),
    index: 'total_1',
  },
  { name: 'a lookup by id', explained: classic({ stage: 'IDHACK' }), index: null },
  { name: 'an empty collection', explained: classic({ stage: 'EOF' }), index: null },
  {
    name: 'an express lookup',
    explained: classic({ stage: 'EXPRESS_IXSCAN', keyPattern: '{ _id: 1 }', indexName: '_id_' }),
    index: null,
  },
  {
    name: 'an express lookup in a clustered one',
    explained: classic({ stage: 'EXPRESS_CLUSTERED_IXSCAN' }),
    index: null,
  },
  {
    name: 'a bounded part of a clustered one',
    explained: classic(node('LIMIT', { stage: 'CLUSTERED_IXSCAN', minRecord: 5, maxRecord: 9 })),
    index: null,
  },
  { name: 'the slot-based engine', explained: slots(FETCHED), index: 'total_1' },
  {
    name: 'the slot-based engine: a pipeline that was pushed down whole',
    explained: slots(node('GROUP', node('PROJECTION_COVERED', scan()))),
    planned: COUNT_SOME,
    index: 'total_1',
  },
  {
    name: 'a pipeline behind a cursor',
    explained: pipeline(classic(node('PROJECTION_COVERED', scan())), GROUP),
    planned: COUNT_SOME,
    index: 'total_1',
  },
  {
    name: 'a count over ids of everything',
    explained: pipeline(classic(node('PROJECTION_COVERED', scan('_id', WHOLE, '_id_'))), GROUP),
    planned: COUNT_ALL,
    index: '_id_',
  },
  {
    name: 'a list without a filter along an index',
    explained: classic(node('LIMIT', node('FETCH', scan('_id', WHOLE, '_id_')))),
    planned: LIST_ALL,
    index: '_id_',
  },
  {
    name: 'a count scan',
    explained: classic({
      stage: 'COUNT_SCAN',
      keyPattern: { total: 1 },
      indexName: 'total_1',
      indexBounds: { startKey: { total: 5 }, startKeyInclusive: true, endKey: { total: 9 }, endKeyInclusive: true },
    }),
    planned: COUNT_SOME,
    index: 'total_1',
  },
  {
    name: 'a distinct scan',
    explained: classic({ ...scan(), stage: 'DISTINCT_SCAN' }),
    index: 'total_1',
  },
  {
    name: 'a wildcard index, bounded by path and value',
    explained: classic({
      ...scan('total'),
      keyPattern: { $_path: 1, total: 1 },
      indexName: '$**_1',
      indexBounds: { $_path: ['["total", "total"]'], total: ['[5, inf.0]'] },
    }),
    index: '$**_1',
  },
  {
    name: 'one shard',
    explained: sharded('SINGLE_SHARD', [shard('a', node('SHARDING_FILTER', FETCHED))]),
    index: 'total_1',
  },
  {
    name: 'merged shards with the same index',
    explained: sharded('SHARD_MERGE', [shard('a', FETCHED), shard('b', FETCHED)]),
    index: 'total_1',
  },
  {
    name: 'merged shards, sorted, with different indexes',
    explained: sharded('SHARD_MERGE_SORT', [shard('a', FETCHED), shard('b', scan('state', ['["a", "a"]']))]),
    index: null,
  },
  {
    name: 'shards by name, with slots',
    explained: sharded('SHARD_MERGE', { a: { winningPlan: { queryPlan: FETCHED, slotBasedPlan: {} } } }),
    index: 'total_1',
  },
  {
    name: 'a pipeline over shards',
    explained: {
      mergeType: 'mongos',
      splitPipeline: { shardsPart: [], mergerPart: [] },
      shards: {
        a: { host: 'a:27018', ...slots(node('GROUP', scan())) },
        b: { host: 'b:27018', ...pipeline(classic(scan()), GROUP) },
      },
      ok: 1,
    },
    planned: COUNT_SOME,
    index: 'total_1',
  },
];

export const UNSERVED: readonly PlanShape[] = [
  { name: 'a scan of the collection', explained: classic(COLLSCAN) },
  { name: 'a scan of the collection below other stages', explained: classic(node('LIMIT', node('SORT', COLLSCAN))) },
  { name: 'a scan in one branch', explained: classic({ stage: 'OR', inputStages: [scan(), COLLSCAN] }) },
  {
    name: 'a scan in a branch of each kind of link',
    explained: classic({ stage: 'OR', outerStage: scan(), innerStage: scan(), thenStage: scan(), elseStage: COLLSCAN }),
  },
  { name: 'a scan in the slot-based engine', explained: slots(node('FETCH', COLLSCAN)) },
  {
    name: 'a scan on one of two shards',
    explained: sharded('SHARD_MERGE', [shard('a', FETCHED), shard('b', COLLSCAN)]),
  },
  {
    name: 'a scan behind a cursor',
    explained: pipeline(classic(COLLSCAN), GROUP),
    planned: COUNT_SOME,
  },
  {
    name: 'a scan on one shard of a pipeline',
    explained: { shards: { a: slots(scan()), b: slots(COLLSCAN) }, ok: 1 },
    planned: COUNT_SOME,
  },
  { name: 'a walk over a whole index', explained: classic(node('FETCH', scan('total', WHOLE))) },
  { name: 'a walk over a whole index, backwards', explained: classic(scan('total', ['[MaxKey, MinKey]'])) },
  {
    name: 'a count over a whole index that is not that of ids',
    explained: classic(scan('total', WHOLE)),
    planned: COUNT_ALL,
  },
  { name: 'a filtered count over all ids', explained: classic(scan('_id', WHOLE, '_id_')), planned: COUNT_SOME },
  {
    name: 'a list without a filter that sorts a whole index',
    explained: classic(node('SORT', scan('total', WHOLE))),
    planned: LIST_ALL,
  },
  {
    name: 'a count scan over a whole index',
    explained: classic({
      stage: 'COUNT_SCAN',
      keyPattern: { total: 1 },
      indexName: 'total_1',
      indexBounds: { startKey: { total: new MinKey() }, endKey: { total: new MaxKey() } },
    }),
    planned: COUNT_SOME,
  },
  { name: 'an index without bounds', explained: classic({ ...scan(), indexBounds: undefined }) },
  { name: 'an index without a name', explained: classic({ ...scan(), indexName: undefined }) },
  { name: 'an unbounded part of a clustered one', explained: classic({ stage: 'CLUSTERED_IXSCAN' }) },
  ...[
    'RECORD_STORE_FAST_COUNT',
    'TEXT_MATCH',
    'TEXT_OR',
    'GEO_NEAR_2D',
    'GEO_NEAR_2DSPHERE',
    'COLUMN_SCAN',
    'UNPACK_TIMESERIES_BUCKET',
    'UNPACK_TS_BUCKET',
    'SAMPLE_FROM_TIMESERIES_BUCKET',
    'QUEUED_DATA',
    'MULTI_ITERATOR',
    'EXPRESS_UPDATE',
    'EXPRESS_DELETE',
    'UPDATE',
    'DELETE',
    'TIMESERIES_MODIFY',
    'BATCHED_DELETE',
    'COUNT',
    'UNKNOWN',
    'STAGE_OF_THE_FUTURE',
  ].map((stage) => ({ name: `a leaf ${stage}`, explained: classic(node('FETCH', { ...scan(), stage })) })),
  ...['EQ_LOOKUP', 'RETURN_KEY', 'SPOOL', 'TRIAL', 'TEXT_OR', 'UNPACK_TIMESERIES_BUCKET', 'STAGE_OF_THE_FUTURE'].map(
    (stage) => ({ name: `a stage ${stage}`, explained: classic(node(stage, scan())) }),
  ),
  { name: 'an index below a leaf', explained: classic({ ...scan(), inputStage: scan() }) },
  { name: 'a pipeline with another stage', explained: pipeline(classic(scan()), { $lookup: {} }), planned: COUNT_SOME },
  { name: 'a pipeline without a cursor', explained: { stages: [GROUP], ok: 1 }, planned: COUNT_SOME },
  { name: 'no stages', explained: { stages: [], ok: 1 } },
  { name: 'no shards', explained: { shards: {}, ok: 1 } },
  { name: 'an empty plan', explained: classic({}) },
  { name: 'no plan', explained: classic(undefined) },
  { name: 'a merge of no shards', explained: sharded('SHARD_MERGE', []) },
  { name: 'a plan in words', explained: classic('IXSCAN') },
  { name: 'nothing', explained: { ok: 1 } },
  {
    name: 'a plan without an end',
    explained: classic(Array.from({ length: 200 }).reduce<Node>((below) => node('FETCH', below), scan())),
  },
];
