import type { IssueRow } from '../../errors/index.ts';

const MARK = 'x-issues';

/** A part of the document; a field's schema says which issues of its module it may have. `kernel/validation` writes it. */
interface Part {
  readonly [MARK]?: readonly IssueRow[];
  readonly $ref?: string;
}

interface Operation {
  readonly parameters?: readonly object[];
  readonly requestBody?: object;
}

/** The issues of their modules that the values of an operation's parameters and body may have. */
export function fieldIssues(
  { parameters = [], requestBody = {} }: Operation,
  schemas: Readonly<Record<string, object>>,
): IssueRow[] {
  const found = new Map<string, IssueRow>();
  const met = new Set<string>();
  const collect = (part: Part): void => {
    const { [MARK]: rows = [], $ref, ...inner } = part;
    for (const row of rows) found.set(row.code, row);
    if ($ref !== undefined && !met.has($ref)) {
      met.add($ref);
      collect(schemas[$ref.split('/').at(-1)!] ?? {});
    }
    for (const value of Object.values<unknown>(inner)) if (isPart(value)) collect(value);
  };
  for (const part of [...parameters, requestBody]) collect(part);
  return [...found.values()];
}

function isPart(value: unknown): value is Part {
  return typeof value === 'object' && value !== null;
}

/** A copy of a part of the document without these marks. */
export function withoutMarks<Whole>(part: Whole): Whole {
  if (Array.isArray(part)) return part.map(withoutMarks) as Whole;
  if (typeof part !== 'object' || part === null) return part;
  const kept = Object.entries(part).filter(([key]) => key !== MARK);
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutMarks(value)])) as Whole;
}
