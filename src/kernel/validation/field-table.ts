import type { Type } from '@nestjs/common';
import { isPartialUpdate } from './partial-update.ts';

/** Makes what is checked of what was sent; `source` says where it comes from. */
export type Convert = (value: unknown, source: object) => unknown;

/** What holds of a field, as its decorator says. */
export interface FieldFacts {
  /** Whether a value is checked at all: an optional one may be missing, a nullable one null. */
  readonly isChecked: (value: unknown) => boolean;
  /** Whether a value passes the checks of the field itself. */
  readonly passes: (value: unknown) => boolean;
  /** Whether what it holds is of classes with fields of their own. */
  readonly nests: boolean;
  /** The class of what it holds, where that does not depend on the value. */
  readonly type: (() => Type) | undefined;
  /** A null is the same as no value, except in a `@PartialUpdate()`. */
  readonly nullIsAbsent: boolean;
  /** The most items that are looked at; none of a list where the field takes none. */
  readonly maxItems: number;
}

/** A field of a class, with all that the classes above it say. */
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

/** By prototype and property, what a class itself declares. */
const declared = new WeakMap<object, Map<string, Declaration>>();
const resolved = new WeakMap<object, Fields>();

export function declareField(prototype: object, name: string, facts: FieldFacts): void {
  declarationOf(prototype, name).facts = facts;
}

/** The last that is applied goes first, as class-transformer has it. */
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

/** The fields of the class with this prototype; none where it, and those above it, declare none. */
export function fieldsOf(prototype: object): Fields {
  let fields = resolved.get(prototype);
  if (!fields) resolved.set(prototype, (fields = resolve(prototype)));
  return fields;
}

/** A class that declares a field again replaces its facts; conversions of the classes above come before its own. */
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

/** The prototypes of a class and of those above it, the topmost first. */
function lineage(prototype: object): object[] {
  const above = Reflect.getPrototypeOf(prototype);
  return above ? [...lineage(above), prototype] : [prototype];
}
