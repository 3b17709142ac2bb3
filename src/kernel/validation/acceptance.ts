import type { Type } from '@nestjs/common';
import { getMetadataStorage } from 'class-validator';
import { FIELD_CHECK } from './field.ts';

/** Says of an instance that it is valid; false means that class-validator has to look. */
type Acceptance = (instance: object) => boolean;

interface Property {
  readonly name: string;
  /** Whether its checks apply to a value at all: an optional one may be missing. */
  readonly applies: readonly ((object: object, value: unknown) => boolean)[];
  readonly checks: readonly ((value: unknown) => boolean)[];
  /** Whether what it holds is of a class with checks of its own. */
  readonly nested: boolean;
}

const compiled = new Map<unknown, Acceptance>();

/**
 * Whether class-validator would find nothing wrong, by its own metadata of the class and the same checks. It builds an
 * error for each property of each object before it looks at a value, and looks up what is known since the classes were
 * loaded; nearly all that arrives is valid. (Measured: a twelfth of the service's time for a call.)
 */
export function isAccepted(instance: object): boolean {
  // A property of that name may be the caller's.
  const shape: unknown = Reflect.getPrototypeOf(instance)?.constructor;
  let accepts = compiled.get(shape);
  if (!accepts) compiled.set(shape, (accepts = acceptanceOf(shape as Type)));
  return accepts(instance);
}

function acceptanceOf(shape: Type): Acceptance {
  const properties = propertiesOf(shape);
  if (!properties) return () => false;
  const known = new Set(properties.map(({ name }) => name));
  // Plain loops: for each of ten log entries a closure a property costs as much as the checks.
  return (instance) => {
    for (const key of Object.keys(instance)) if (!known.has(key)) return false;
    for (const property of properties)
      if (!holds(property, instance, (instance as Record<string, unknown>)[property.name])) return false;
    return true;
  };
}

function holds({ applies, checks, nested }: Property, object: object, value: unknown): boolean {
  for (const condition of applies) if (!condition(object, value)) return true;
  for (const check of checks) if (!check(value)) return false;
  return !nested || (Array.isArray(value) ? value.every(isNested) : isNested(value));
}

function isNested(value: unknown): boolean {
  return typeof value === 'object' && value !== null && isAccepted(value);
}

/** Undefined where a class has no checks, or such as the decorators of this folder do not make. */
function propertiesOf(shape: Type): Property[] | undefined {
  const storage = getMetadataStorage();
  const metadata = storage.getTargetValidationMetadatas(shape, '', false, false);
  const kinds = new Set(['customValidation', 'conditionalValidation', 'nestedValidation']);
  if (metadata.length === 0 || metadata.some(({ type }) => !kinds.has(type))) return undefined;
  const properties: Property[] = [];
  for (const [name, all] of Object.entries(storage.groupByPropertyName(metadata))) {
    const custom = all.filter(({ type }) => type === 'customValidation');
    if (custom.some((each) => each.name !== FIELD_CHECK || each.each || each.validateIf)) return undefined;
    properties.push({
      name,
      applies: all.filter(({ type }) => type === 'conditionalValidation').map(({ constraints }) => constraints[0]),
      checks: custom.flatMap(({ constraintCls }) =>
        storage.getTargetValidatorConstraints(constraintCls).map(({ instance }) => {
          return (value: unknown) => instance.validate(value) === true;
        }),
      ),
      nested: all.some(({ type }) => type === 'nestedValidation'),
    });
  }
  return properties;
}
