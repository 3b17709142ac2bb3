import type { Type } from '@nestjs/common';
import { isPartialUpdate } from './partial-update.ts';

/** Converts a sent value before it is checked; `source` says where it was sent. */
export type Convert = (value: unknown, source: object) => unknown;

/** What a field's decorator declares. */
export interface FieldFacts {
  /** Whether a value is checked at all: an optional one may be absent, a nullable one null. */
  readonly isChecked: (value: unknown) => boolean;
  /** Whether a value passes the checks of the field itself. */
  readonly passes: (value: unknown) => boolean;
  /** Whether its values are objects of classes with fields. */
  readonly nests: boolean;
  /** The class of its values, where that does not depend on the value. */
  readonly type: (() => Type) | undefined;
  /** Whether null counts as absent, except in a `@PartialUpdate()`. */
  readonly nullIsAbsent: boolean;
  /** Most items that are converted; 0 where the field takes no list. */
  readonly maxItems: number;
}

/** A field of a class, merged with the declarations of its superclasses. */
export interface Field extends FieldFacts {
  readonly name: string;
  readonly conversions: readonly Convert[];
}

/** The fields of a class, in a list for loops and by name. */
export interface Fields {
  readonly all: readonly Field[];
  readonly byName: ReadonlyMap<string, Field>;
}

interface Declaration {
  facts?: FieldFacts;
  readonly conversions: Convert[];
}

/** Own declarations of each class, by prototype and property. */
const declared = new WeakMap<object, Map<string, Declaration>>();
const resolved = new WeakMap<object, Fields>();

export function declareField(prototype: object, name: string, facts: FieldFacts): void {
  declarationOf(prototype, name).facts = facts;
}

/** Declares a conversion; the last one declared runs first, as with class-transformer. */
export function declareConversion(prototype: object, name: string, convert: Convert): void {
  declarationOf(prototype, name).conversions.unshift(convert);
}

function declarationOf(prototype: object, name: string): Declaration {
  let declarations = declared.get(prototype);
  if (!declarations) declared.set(prototype, (declarations = new Map()));
  let declaration = declarations.get(name);
  if (!declaration) declarations.set(name, (declaration = { conversions: [] }));
  return declaration;
}

/** The fields of the class with this prototype, those of its superclasses included. */
export function fieldsOf(prototype: object): Fields {
  let fields = resolved.get(prototype);
  if (!fields) resolved.set(prototype, (fields = resolve(prototype)));
  return fields;
}

/**
 * Merges declarations: a class that declares a field again replaces its facts, and conversions of superclasses run
 * before its own.
 */
function resolve(prototype: object): Fields {
  const merged = new Map<string, Declaration>();
  for (const level of lineage(prototype))
    for (const [name, { facts, conversions }] of declared.get(level) ?? []) {
      const above = merged.get(name);
      merged.set(name, {
        ...above,
        ...(facts && { facts }),
        conversions: [...(above?.conversions ?? []), ...conversions],
      });
    }
  const isPartial = isPartialUpdate(prototype.constructor as Type);
  const all = [...merged].flatMap(([name, { facts, conversions }]): Field[] =>
    facts ? [{ ...facts, nullIsAbsent: facts.nullIsAbsent && !isPartial, name, conversions }] : [],
  );
  return { all, byName: new Map(all.map((each) => [each.name, each])) };
}

/** The prototypes of a class and its superclasses, the topmost first. */
function lineage(prototype: object): object[] {
  const above = Reflect.getPrototypeOf(prototype);
  return above ? [...lineage(above), prototype] : [prototype];
}
