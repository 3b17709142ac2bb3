/**
 * Which rules a statement breaks, of those that let an engine that shards by organization run it as one task: writes assign
 * columns and values only, every relation is pinned to the organization by a parameter, an INSERT stands alone, and forms
 * that such an engine refuses are left out. Plain checks of the text: they may be wrong about a form, and then the same way
 * each time.
 */
export type Rule =
  'function in a write' | 'relation without its organization' | 'insert inside' | 'form' | 'constraint';

/** Written like functions, and are none. */
const NO_FUNCTIONS = new Set(
  'all and any array as by case coalesce conflict default else exists filter from greatest in interval into key least not nullif on or over row select set then using values when where with'.split(
    ' ',
  ),
);

/** `tables` are those of organizations. */
export function brokenRules(statement: string, tables: ReadonlySet<string>): Rule[] {
  const text = plain(statement);
  const writes = writesOf(text);
  const broken: Rule[] = [];
  if (writes.some(({ assigned }) => callsFunction(assigned))) broken.push('function in a write');
  if (!relationsOf(text, tables).every((alias) => isPinned(text, alias)))
    broken.push('relation without its organization');
  if (writes.some(({ kind, depth }) => kind === 'insert' && (depth > 0 || text.startsWith('with'))))
    broken.push('insert inside');
  if (/\bctid\b/.test(text) || /\([^()]*,[^()]*\) in \(select/.test(text) || writes.some(hasRefusedForm))
    broken.push('form');
  if (/on conflict on constraint/.test(text)) broken.push('constraint');
  return broken;
}

/** In lower case, with single spaces, and without comments and what stands in quotes. */
function plain(statement: string): string {
  return statement
    .replaceAll(/--[^\n]*/g, ' ')
    .replaceAll(/'(?:[^']|'')*'/g, `''`)
    .replaceAll('"', '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .toLowerCase();
}

interface Write {
  readonly kind: 'insert' | 'update';
  /** How many parentheses it stands in. */
  readonly depth: number;
  /** What it puts into its row: values, what it selects, what it sets. */
  readonly assigned: string;
}

function writesOf(text: string): Write[] {
  return [...text.matchAll(/(?<!for |for no key |do )\b(insert into|update) (?=[a-z_])/g)].map(({ 1: verb, index }) => {
    const own = text.slice(index, endOf(text, index));
    const depth = depthAt(text, index);
    if (verb === 'update')
      return { kind: 'update', depth, assigned: clause(own, / set /, / from | where | returning /) };
    return { kind: 'insert', depth, assigned: clause(own, / values | select | set /, / returning /) };
  });
}

/** Where the parenthesis closes that a position stands in, or the text ends. */
function endOf(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '(') depth += 1;
    if (text[at] === ')') depth -= 1;
    if (depth < 0) return at;
  }
  return text.length;
}

function depthAt(text: string, end: number): number {
  let depth = 0;
  for (let at = 0; at < end; at += 1) depth += text[at] === '(' ? 1 : text[at] === ')' ? -1 : 0;
  return depth;
}

/** Between two keywords, where the second counts outside of parentheses only. */
function clause(text: string, begin: RegExp, end: RegExp): string {
  const begun = begin.exec(text);
  if (!begun) return '';
  const rest = text.slice(begun.index);
  for (const { index } of rest.matchAll(new RegExp(end, 'g')))
    if (index > 0 && depthAt(rest, index) === 0) return rest.slice(0, index);
  return rest;
}

function callsFunction(assigned: string): boolean {
  return [...assigned.matchAll(/\b([a-z_]\w*) ?\(/g)].some(([, name]) => !NO_FUNCTIONS.has(name!));
}

function hasRefusedForm({ kind, assigned }: Write): boolean {
  return kind === 'update' && (/\bcase (?!when)/.test(assigned) || /[\w)]\[(?!\])/.test(assigned));
}

/** The aliases, or else the names, of tables of organizations that are read, updated or deleted from. */
function relationsOf(text: string, tables: ReadonlySet<string>): string[] {
  const named =
    /\b(?:from|join|update|(?<=from [^()]*),) (?:only )?([a-z_]+)(?: as)?(?: (?!set\b|where\b|on\b|order\b|for\b|limit\b|join\b|left\b|cross\b|group\b|returning\b|union\b|using\b|full\b|inner\b|right\b)([a-z_]\w*))?/g;
  return [...text.matchAll(named)].flatMap(([, table, alias]) => (tables.has(table!) ? [alias ?? table!] : []));
}

function isPinned(text: string, alias: string): boolean {
  const key = `${alias}\\.organization_id`;
  return (
    new RegExp(`\\b${key} = \\$\\d|\\$\\d+(?:::uuid)? = ${key}\\b`).test(text) ||
    /(?<![.\w])organization_id = \$\d/.test(text)
  );
}
