import { objectMaker } from '../codegen/index.ts';
import { parserOf } from './value-types.ts';

/** A column as the server describes it. */
export interface Column {
  readonly name: string;
  readonly dataTypeID: number;
}

/** Makes the object of a row from the texts of its columns. */
export type RowReader = (texts: readonly (string | null)[]) => unknown;

const readers = new Map<string, RowReader>();

/** The reader for rows of these columns, compiled once per process. Names and types come from our own statements. */
export function rowReader(columns: readonly Column[]): RowReader {
  const key = JSON.stringify(columns.map(({ name, dataTypeID }) => [name, dataTypeID]));
  let reader = readers.get(key);
  if (!reader) readers.set(key, (reader = objectMaker(columns.map(propertyOf))));
  return reader;
}

function propertyOf({ name, dataTypeID }: Column, index: number) {
  return { name, from: index, convert: parserOf(dataTypeID), required: false };
}
