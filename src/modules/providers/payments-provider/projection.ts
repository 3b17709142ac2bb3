import { isObject, type JsonObject } from '../wire/index.ts';
import type { Page, Row } from './client.ts';
import type { Resource } from './resources.ts';

/** What agents see of a row: its id and the attributes that its type shows. Anything that is no plain value is dropped. */
export function shownRow({ shown, nested = {} }: Resource, { id, attributes }: Row): JsonObject {
  const row: Record<string, unknown> = { id, ...plainIn(attributes, shown) };
  for (const [name, fields] of Object.entries(nested)) {
    const value = attributes[name];
    if (Array.isArray(value)) row[name] = value.filter(isObject).map((each) => plainIn(each, fields));
    else if (isObject(value)) row[name] = plainIn(value, fields);
    else if (value === null) row[name] = null;
  }
  return row;
}

/** A page of rows as lists answer it. */
export function shownPage(resource: Resource, { rows, current, last, size, total }: Omit<Page, 'isTest'>): JsonObject {
  return { items: rows.map((row) => shownRow(resource, row)), page: { current, last, size, total } };
}

function plainIn(value: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.flatMap((name) => (isPlain(value[name]) ? [[name, value[name]]] : [])));
}

function isPlain(value: unknown): boolean {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}
