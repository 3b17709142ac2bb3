import type { Type } from '@nestjs/common';

const SUFFIX = /Dto$/;
const REFERENCE = /^#\/components\/schemas\/(\w+)Dto$/;

/** The name of a class's schema, without the suffix that says only where the class stands in our code. */
export function schemaNameOf({ name }: Type): string {
  return name.replace(SUFFIX, '');
}

/** A reference to the schema of a class. */
export function schemaOf(type: Type): { readonly $ref: string } {
  return { $ref: `#/components/schemas/${schemaNameOf(type)}` };
}

/** Schemas under their public names. Throws where two would have one name. */
export function withPublicNames(schemas: Readonly<Record<string, object>>): Record<string, object> {
  const named: Record<string, object> = {};
  for (const [name, schema] of Object.entries(schemas)) {
    const shown = name.replace(SUFFIX, '');
    if (shown in named) throw new Error(`Two schemas have the name "${shown}"; rename the class of one.`);
    named[shown] = schema;
  }
  return named;
}

/** A copy of a part of the document whose references (mappings of discriminators too) name public names. */
export function withPublicReferences<Part>(part: Part): Part {
  if (typeof part === 'string') return part.replace(REFERENCE, '#/components/schemas/$1') as Part;
  if (Array.isArray(part)) return part.map(withPublicReferences) as Part;
  if (typeof part !== 'object' || part === null) return part;
  return Object.fromEntries(Object.entries(part).map(([key, each]) => [key, withPublicReferences(each)])) as Part;
}
