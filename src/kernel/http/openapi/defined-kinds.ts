import { pascalCase } from './kinds.ts';

/** A closed schema of an object, without its `kind`. */
export interface KindSchema {
  readonly properties: Readonly<Record<string, object>>;
  readonly required?: readonly string[];
  readonly [keyword: string]: unknown;
}

const unions = new Map<string, Map<string, KindSchema>>();

/**
 * Adds a kind to a union of the document that modules above know, each its own part; fields refer to the union by its
 * name (`shownAs`). Kept for the process, like issues and errors.
 */
export function defineKind(union: string, kind: string, schema: KindSchema): void {
  const kinds = unions.get(union) ?? new Map<string, KindSchema>();
  unions.set(union, kinds.set(kind, schema));
}

/** The unions that a document refers to, by name, and the schemas of their kinds. */
export function definedUnions(document: object): Record<string, object> {
  const text = JSON.stringify(document);
  const named = [...unions].filter(([name]) => text.includes(`"#/components/schemas/${name}"`));
  return Object.assign({}, ...named.map(([name, kinds]) => unionOf(name, kinds))) as Record<string, object>;
}

function unionOf(union: string, kinds: ReadonlyMap<string, KindSchema>): Record<string, object> {
  const named = [...kinds].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const nameOf = (kind: string) => `${union}${pascalCase(kind)}`;
  const refOf = (kind: string) => `#/components/schemas/${nameOf(kind)}`;
  return {
    [union]: {
      oneOf: named.map(([kind]) => ({ $ref: refOf(kind) })),
      discriminator: {
        propertyName: 'kind',
        mapping: Object.fromEntries(named.map(([kind]) => [kind, refOf(kind)])),
      },
    },
    ...Object.fromEntries(named.map(([kind, schema]) => [nameOf(kind), withKind(kind, schema)])),
  };
}

function withKind(kind: string, { properties, required = [], ...keywords }: KindSchema): object {
  return {
    ...keywords,
    properties: { kind: { type: 'string', const: kind }, ...properties },
    required: ['kind', ...required],
  };
}
