import { type Document, ObjectId } from 'mongodb';
import { COLLSCAN } from './plan-shapes.ts';

export interface PeerIndex {
  readonly name: string;
  readonly key: Readonly<Record<string, unknown>>;
  readonly hidden?: boolean;
  readonly partialFilterExpression?: Document;
  readonly expireAfterSeconds?: number;
}

interface Explained {
  readonly documents: readonly Document[];
  readonly indexes: readonly PeerIndex[];
}

/**
 * What a server of the classic engine might explain, by simple rules: the named index, else the first sorted one whose leading
 * field the filter names. A real planner knows costs; this one knows none.
 */
export function explainCall(command: Document, { documents, indexes }: Explained): Document {
  const isFind = command.find !== undefined;
  const pipeline = command.pipeline as Document[] | undefined;
  const filter = ((isFind ? command.filter : pipeline?.[0]?.$match) ?? {}) as Document;
  const found = isFind ? planOf(command, filter, documents, indexes) : counted(command, filter, documents, indexes);
  const winningPlan = command.limit === undefined ? found : { stage: 'LIMIT', inputStage: found };
  return isFind
    ? { explainVersion: '1', queryPlanner: { winningPlan, rejectedPlans: [] }, ok: 1 }
    : {
        stages: [
          { $cursor: { queryPlanner: { winningPlan, rejectedPlans: [] } } },
          { $group: { ...(pipeline![1]!.$group as Document) } },
        ],
        ok: 1,
      };
}

function planOf(
  { hint, sort }: Document,
  filter: Document,
  documents: readonly Document[],
  indexes: readonly PeerIndex[],
): Document {
  if (filter._id instanceof ObjectId) return { stage: 'IDHACK' };
  const sorted = Object.keys((sort ?? {}) as Document);
  const usable = indexes.filter(
    ({ key, hidden, partialFilterExpression }) => !hidden && !partialFilterExpression && isSorted(key),
  );
  const leads = (names: readonly string[]) => usable.find(({ key }) => names.includes(Object.keys(key)[0]!));
  const index = indexes.find(({ name }) => name === hint) ?? leads(Object.keys(filter)) ?? leads(sorted.slice(0, 1));
  const from = index ? { stage: 'FETCH', inputStage: scanOf(index, filter, documents) } : COLLSCAN;
  const isInOrder = sorted.length === 0 || sorted[0] === Object.keys(index?.key ?? {})[0];
  return isInOrder ? from : { stage: 'SORT', inputStage: from };
}

function counted(
  command: Document,
  filter: Document,
  documents: readonly Document[],
  indexes: readonly PeerIndex[],
): Document {
  const plan = planOf(command, filter, documents, indexes);
  const scan = plan.inputStage as Document | undefined;
  const isCovered =
    scan?.stage === 'IXSCAN' && Object.keys(filter).every((field) => Object.hasOwn(scan.keyPattern as object, field));
  return isCovered ? { stage: 'PROJECTION_COVERED', inputStage: scan } : plan;
}

function scanOf({ name, key }: PeerIndex, filter: Document, documents: readonly Document[]): Document {
  const fields = Object.keys(key);
  const isMultiKey = documents.some((document) => fields.some((field) => Array.isArray(document[field])));
  const bounds = fields.map((field) => [
    field,
    [Object.hasOwn(filter, field) ? `[${JSON.stringify(filter[field])}, inf.0]` : '[MinKey, MaxKey]'],
  ]);
  return {
    stage: 'IXSCAN',
    indexName: name,
    keyPattern: key,
    isMultiKey,
    direction: 'forward',
    indexBounds: Object.fromEntries(bounds),
  };
}

function isSorted(key: Readonly<Record<string, unknown>>): boolean {
  return [1, -1].includes(Object.values(key)[0] as number);
}
