import { type Field, fieldsOf } from './field-table.ts';

/**
 * Whether class-validator would find nothing wrong, by the table of fields and the same checks; false means that it has to
 * look. It builds an error for each property of each object before it looks at a value, and looks up what is known since
 * the classes were loaded; nearly all that arrives is valid. (Measured: a twelfth of the service's time for a call.)
 */
export function isAccepted(instance: object): boolean {
  // Not by its constructor: a property of that name may be the caller's.
  const prototype = Reflect.getPrototypeOf(instance);
  if (!prototype) return false;
  const { all, byName } = fieldsOf(prototype);
  // Of a class without fields we know nothing.
  if (all.length === 0) return false;
  // Plain loops: for each of ten log entries a closure a property costs as much as the checks.
  for (const key of Object.keys(instance)) if (!byName.has(key)) return false;
  for (const field of all) if (!holds(field, (instance as Record<string, unknown>)[field.name])) return false;
  return true;
}

function holds(field: Field, value: unknown): boolean {
  if (!field.isChecked(value)) return true;
  if (!field.passes(value)) return false;
  return !field.nests || (Array.isArray(value) ? value.every(isNested) : isNested(value));
}

function isNested(value: unknown): boolean {
  return typeof value === 'object' && value !== null && isAccepted(value);
}
