import { isObject, type JsonObject } from '../wire/index.ts';

/** What runs: with a filter of the caller or without, and with a bound on rows or over all that match. */
export interface Planned {
  readonly isFiltered: boolean;
  readonly isLimited: boolean;
}

/** Whether a plan serves a call by indexes, and by which one if it is one; several need no hint, or can have none. */
export type Verdict = { readonly isServed: true; readonly index: UsedIndex | null } | { readonly isServed: false };

export interface UsedIndex {
  readonly name: string;
  /** Whether some document has several entries in it; undefined where the plan does not say. */
  readonly isMultiKey: boolean | undefined;
  /** Whether the plan needs no document beside the index. */
  readonly isCovered: boolean;
}

/** Stages that walk an index by bounds, so that one can be named as a hint. */
const SCANS: ReadonlySet<string> = new Set(['IXSCAN', 'COUNT_SCAN', 'DISTINCT_SCAN']);
/** Stages that find by a key, or nothing at all. */
const LOOKUPS: ReadonlySet<string> = new Set(['IDHACK', 'EXPRESS_IXSCAN', 'EXPRESS_CLUSTERED_IXSCAN', 'EOF']);
/** Stages that only pass on what those below them found. */
const PASSING: ReadonlySet<string> = new Set([
  'FETCH',
  'LIMIT',
  'SKIP',
  'SORT',
  'SORT_MERGE',
  'SORT_KEY_GENERATOR',
  'OR',
  'AND_HASH',
  'AND_SORTED',
  'GROUP',
  'PROJECTION_SIMPLE',
  'PROJECTION_COVERED',
  'PROJECTION_DEFAULT',
  'SHARDING_FILTER',
  'SHARD_MERGE',
  'SHARD_MERGE_SORT',
  'SINGLE_SHARD',
  'SUBPLAN',
  'MULTI_PLAN',
  'CACHED_PLAN',
]);
const CHILDREN = [
  'inputStage',
  'inputStages',
  'thenStage',
  'elseStage',
  'outerStage',
  'innerStage',
  'child',
  'leftChild',
  'rightChild',
  'shards',
] as const;
/** Of a pipeline that is not pushed down whole. */
const PIPELINE_STAGES: ReadonlySet<string> = new Set(['$cursor', '$group']);
const WHOLE: ReadonlySet<string> = new Set(['[MinKey, MaxKey]', '[MaxKey, MinKey]']);
const WILDCARD = '$_path';
const MOST_DEPTH = 64;
const MOST_NODES = 10_000;

/**
 * Judges what a server explains of a call, in every shape in which servers explain. Whatever is not known to be served by an
 * index is not: a scan of the collection anywhere, a stage or shape that is unknown, no plan at all, a walk over a whole index.
 */
export function judgePlan(explained: unknown, planned: Planned): Verdict {
  const walk = new Walk(planned);
  try {
    walk.explanation(explained, 0);
  } catch (error) {
    if (error instanceof Unserved) return { isServed: false };
    throw error;
  }
  return walk.leaves === 0 ? { isServed: false } : { isServed: true, index: walk.index() };
}

class Unserved extends Error {}

class Walk {
  leaves = 0;
  private nodes = 0;
  private readonly scans: JsonObject[] = [];
  private fetches = 0;
  private sorts = 0;

  constructor(private readonly planned: Planned) {}

  index(): UsedIndex | null {
    const names = new Set(this.scans.map(({ indexName }) => indexName));
    const [name] = names;
    // Each shard has its own scan of the same index; more leaves than scans are found in another way.
    if (names.size !== 1 || typeof name !== 'string' || this.scans.length !== this.leaves) return null;
    const multiKeys = this.scans.map(({ isMultiKey }) => isMultiKey);
    const isMultiKey = multiKeys.includes(true) ? true : multiKeys.every((each) => each === false) ? false : undefined;
    return { name, isMultiKey, isCovered: this.fetches === 0 };
  }

  /** An answer to `explain`, or what one shard says in it. */
  explanation(value: unknown, depth: number): void {
    const given = this.object(value, depth);
    if (given['stages'] !== undefined) return this.pipeline(given['stages'], depth);
    if (given['queryPlanner'] !== undefined) {
      const { winningPlan } = this.object(given['queryPlanner'], depth);
      return this.plan(winningPlan, depth + 1);
    }
    // Of a pipeline over shards, by their names.
    const shards = Object.values(this.object(given['shards'], depth));
    if (shards.length === 0) throw new Unserved();
    for (const shard of shards) this.explanation(shard, depth + 1);
  }

  private pipeline(value: unknown, depth: number): void {
    if (!Array.isArray(value)) throw new Unserved();
    const [first] = value as readonly unknown[];
    if (!isObject(first) || first['$cursor'] === undefined) throw new Unserved();
    for (const stage of value as readonly unknown[]) {
      const operators = Object.keys(this.object(stage, depth)).filter((key) => key.startsWith('$'));
      if (operators.length !== 1 || !PIPELINE_STAGES.has(operators[0]!)) throw new Unserved();
      const cursor = (stage as JsonObject)['$cursor'];
      if (cursor !== undefined) this.explanation(cursor, depth + 1);
    }
  }

  private plan(value: unknown, depth: number): void {
    const node = this.object(value, depth);
    // The plan as it was chosen, beside its translation into slots.
    if (node['queryPlan'] !== undefined) return this.plan(node['queryPlan'], depth + 1);
    // One shard among those of a merge.
    if (node['stage'] === undefined && node['winningPlan'] !== undefined)
      return this.plan(node['winningPlan'], depth + 1);
    const { stage } = node;
    if (typeof stage !== 'string') throw new Unserved();
    const children = this.childrenOf(node);
    if (children.length > 0) {
      if (!PASSING.has(stage)) throw new Unserved();
      if (stage === 'FETCH') this.fetches += 1;
      if (stage === 'SORT') this.sorts += 1;
      for (const child of children) this.plan(child, depth + 1);
      return;
    }
    this.leaf(stage, node);
  }

  private childrenOf(node: JsonObject): readonly unknown[] {
    return CHILDREN.flatMap((link): readonly unknown[] => {
      const below = node[link];
      if (below === undefined) return [];
      if (Array.isArray(below)) return below as readonly unknown[];
      return link === 'shards' ? Object.values(this.object(below, 0)) : [below];
    });
  }

  private leaf(stage: string, node: JsonObject): void {
    this.leaves += 1;
    if (LOOKUPS.has(stage)) return;
    if (stage === 'CLUSTERED_IXSCAN') {
      if (node['minRecord'] === undefined && node['maxRecord'] === undefined) throw new Unserved();
      return;
    }
    if (!SCANS.has(stage)) throw new Unserved();
    if (typeof node['indexName'] !== 'string') throw new Unserved();
    this.scans.push(node);
    if (this.isWhole(node) && !this.mayBeWhole(node)) throw new Unserved();
  }

  /** Whether the first field of the index is bounded by nothing; so is an index whose bounds are not told. */
  private isWhole({ keyPattern, indexBounds }: JsonObject): boolean {
    if (!isObject(keyPattern) || !isObject(indexBounds)) throw new Unserved();
    const leading = Object.keys(keyPattern).find((field) => field !== WILDCARD) ?? '';
    const { startKey, endKey } = indexBounds;
    if (isObject(startKey) && isObject(endKey)) return isEnd(startKey[leading]) && isEnd(endKey[leading]);
    const bounds = indexBounds[leading];
    if (!Array.isArray(bounds) || bounds.length === 0) throw new Unserved();
    return bounds.every((each) => typeof each === 'string' && WHOLE.has(each));
  }

  /** Without a filter a walk that ends with the last row asked for is short; all documents are counted over their ids. */
  private mayBeWhole({ indexName }: JsonObject): boolean {
    if (this.planned.isFiltered) return false;
    return this.planned.isLimited ? this.sorts === 0 : indexName === '_id_';
  }

  private object(value: unknown, depth: number): JsonObject {
    this.nodes += 1;
    if (!isObject(value) || depth > MOST_DEPTH || this.nodes > MOST_NODES) throw new Unserved();
    return value;
  }
}

/** Whether a key is the least or the greatest that there is. */
function isEnd(key: unknown): boolean {
  return isObject(key) && (key['_bsontype'] === 'MinKey' || key['_bsontype'] === 'MaxKey');
}
