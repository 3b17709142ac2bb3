import { EdgeIssues, invalid } from '../../../kernel/errors/index.ts';

/** A filter as agents write it, held against its schema already. */
export interface Filter {
  readonly and?: readonly Filter[];
  readonly or?: readonly Filter[];
  readonly not?: Filter;
  readonly field?: string;
  readonly string?: { readonly match: string; readonly value: string; readonly case_sensitive?: boolean };
  readonly in?: readonly string[];
  readonly number?: { readonly op: string; readonly value: number };
  readonly between?: { readonly from: number; readonly to: number };
}

const MOST_LEVELS = 3;
const MOST_LEAVES = 20;
const GROUPS = ['and', 'or', 'not'] as const;
const PREDICATES = ['string', 'in', 'number', 'between'] as const;

/** The provider's form of a filter; 400 at the first node that is none, or lies too deep. */
export function providerFilter(filter: Filter, path: string): object {
  let leaves = 0;
  const nodeOf = (node: Filter, at: string, level: number): object => {
    const group = onlyOf(node, at);
    if (group === 'field') {
      leaves += 1;
      if (leaves > MOST_LEAVES) throw invalid(at, EdgeIssues.tooManyValues, `must be one of ${MOST_LEAVES} fields`);
      return { filter: { fieldName: node.field, ...predicateOf(node) } };
    }
    if (level === MOST_LEVELS)
      throw invalid(at, EdgeIssues.tooManyValues, `must have at most ${MOST_LEVELS} levels of and, or, not`);
    if (group === 'not') return { notExpression: nodeOf(node.not!, `${at}.not`, level + 1) };
    const expressions = node[group]!.map((each, index) => nodeOf(each, `${at}.${group}.${index}`, level + 1));
    return { [`${group}Group`]: { expressions } };
  };
  return nodeOf(filter, path, 0);
}

function onlyOf(node: Filter, at: string): (typeof GROUPS)[number] | 'field' {
  const [groups, predicates] = [GROUPS, PREDICATES].map((all) => all.filter((key) => node[key] !== undefined));
  const isLeaf = node.field !== undefined && groups!.length === 0 && predicates!.length === 1;
  if (isLeaf) return 'field';
  const isGroup = node.field === undefined && groups!.length === 1 && predicates!.length === 0;
  if (isGroup) return groups![0] as (typeof GROUPS)[number];
  throw invalid(
    at,
    EdgeIssues.notOfKind,
    'must be exactly one of and, or, not; or a field with exactly one of string, in, number, between',
  );
}

function predicateOf({ string, in: values, number, between }: Filter): object {
  if (string) {
    const { match, value, case_sensitive: caseSensitive } = string;
    return { stringFilter: { matchType: match, value, ...(caseSensitive === undefined ? {} : { caseSensitive }) } };
  }
  if (values) return { inListFilter: { values } };
  if (number) return { numericFilter: { operation: number.op, value: numberOf(number.value) } };
  return { betweenFilter: { fromValue: numberOf(between!.from), toValue: numberOf(between!.to) } };
}

function numberOf(value: number): object {
  return Number.isSafeInteger(value) ? { int64Value: String(value) } : { doubleValue: value };
}
