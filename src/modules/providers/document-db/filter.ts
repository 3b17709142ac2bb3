import { EdgeIssues, invalid, type IssueRow } from '../../../kernel/errors/index.ts';
import { isObject, type JsonObject } from '../wire/index.ts';
import { instantOf } from './instant.ts';

/** Filters as agents write them: JSON, in which literals of the database stand as `{"$oid": …}` and `{"$date": …}`. */
export type Filter = JsonObject;

const MOST = { depth: 3, branches: 10, leaves: 40, values: 100, characters: 4_096 };
const LOGICAL: ReadonlySet<string> = new Set(['$and', '$or', '$nor']);
const COMPARING: ReadonlySet<string> = new Set(['$eq', '$ne', '$gt', '$gte', '$lt', '$lte']);
const LISTING: ReadonlySet<string> = new Set(['$in', '$nin']);
const OBJECT_ID = /^[0-9a-fA-F]{24}$/;

/**
 * Refuses a filter that is not of the grammar, with the issue at the first part that is not. A field is looked up before its
 * value is looked at.
 */
export function checkFilter(filter: Filter, fields: ReadonlySet<string>, path: string): void {
  new Check(fields).filter(filter, path, 0);
}

class Check {
  private leaves = 0;

  constructor(private readonly fields: ReadonlySet<string>) {}

  filter(filter: JsonObject, path: string, depth: number): void {
    if (depth > MOST.depth) refuse(path, EdgeIssues.tooDeep, `is nested deeper than ${MOST.depth} levels`);
    for (const [key, value] of Object.entries(filter)) {
      const at = `${path}.${key}`;
      if (LOGICAL.has(key)) this.branches(value, at, depth + 1);
      else if (key.startsWith('$')) refuse(at, EdgeIssues.unknownProperty, 'is no operator that may be used');
      else if (this.fields.has(key)) this.test(value, at);
      else refuse(at, EdgeIssues.unknownReference, 'is no field of the collection in the scope of this connector');
    }
  }

  private branches(value: unknown, path: string, depth: number): void {
    if (!Array.isArray(value)) refuse(path, EdgeIssues.wrongType, 'must be a list of filters');
    if (value.length === 0 || value.length > MOST.branches)
      refuse(path, EdgeIssues.invalidLength, `must have 1 to ${MOST.branches} filters`);
    for (const [index, each] of value.entries()) {
      const at = `${path}.${index}`;
      if (!isObject(each) || Object.keys(each).length === 0)
        refuse(at, EdgeIssues.wrongType, 'must be a filter that is not empty');
      this.filter(each, at, depth);
    }
  }

  private test(value: unknown, path: string): void {
    if (Array.isArray(value)) this.values(value, path);
    else if (isObject(value) && !isLiteral(value)) this.operators(value, path, 0);
    else this.value(value, path);
  }

  private operators(operators: JsonObject, path: string, depth: number): void {
    if (depth > MOST.depth) refuse(path, EdgeIssues.tooDeep, `is nested deeper than ${MOST.depth} levels`);
    const entries = Object.entries(operators);
    if (entries.length === 0) refuse(path, EdgeIssues.wrongType, 'must be a value, or operators');
    for (const [key, value] of entries) {
      const at = `${path}.${key}`;
      if (COMPARING.has(key)) this.value(value, at);
      else if (LISTING.has(key)) this.values(value, at);
      else if (key === '$exists') this.existence(value, at);
      else if (key === '$not') this.negated(value, at, depth + 1);
      else refuse(at, EdgeIssues.unknownProperty, 'is no operator or literal that may be used');
    }
  }

  private negated(value: unknown, path: string, depth: number): void {
    if (!isObject(value)) refuse(path, EdgeIssues.wrongType, 'must be operators');
    this.operators(value, path, depth);
  }

  private existence(value: unknown, path: string): void {
    this.leaf(path);
    if (typeof value !== 'boolean') refuse(path, EdgeIssues.wrongType, 'must be true or false');
  }

  private values(value: unknown, path: string): void {
    this.leaf(path);
    if (!Array.isArray(value)) refuse(path, EdgeIssues.wrongType, 'must be a list of values');
    if (value.length === 0 || value.length > MOST.values)
      refuse(path, EdgeIssues.invalidLength, `must have 1 to ${MOST.values} values`);
    for (const [index, each] of value.entries()) checkValue(each, `${path}.${index}`);
  }

  private value(value: unknown, path: string): void {
    this.leaf(path);
    checkValue(value, path);
  }

  private leaf(path: string): void {
    this.leaves += 1;
    if (this.leaves > MOST.leaves) refuse(path, EdgeIssues.tooManyValues, `is beyond ${MOST.leaves} conditions`);
  }
}

function checkValue(value: unknown, path: string): void {
  if (value === null || typeof value === 'boolean') return;
  if (typeof value === 'number' && Number.isFinite(value)) return;
  if (typeof value === 'string') {
    if (value.length > MOST.characters || !value.isWellFormed())
      refuse(path, EdgeIssues.invalidLength, `must have at most ${MOST.characters} characters`);
    return;
  }
  if (!isObject(value) || !isLiteral(value))
    refuse(path, EdgeIssues.wrongType, 'must be text, a number, true, false, null, {"$oid": …} or {"$date": …}');
  const { $oid: id, $date: date } = value;
  if (id !== undefined && !(typeof id === 'string' && OBJECT_ID.test(id)))
    refuse(`${path}.$oid`, EdgeIssues.wrongType, 'must be 24 hexadecimal characters');
  if (date !== undefined && !(typeof date === 'string' && instantOf(date)))
    refuse(`${path}.$date`, EdgeIssues.invalidTimestamp, 'must be an ISO 8601 date and time with a zone');
}

function isLiteral(value: JsonObject): boolean {
  const [key, ...more] = Object.keys(value);
  return more.length === 0 && (key === '$oid' || key === '$date');
}

/** What makes values of the database of literals. */
export interface Literals {
  objectId(hex: string): unknown;
}

/** A filter that was checked, as the driver takes it. Its objects have no prototype. */
export function driverFilter(filter: Filter, literals: Literals): Record<string, unknown> {
  return converted(filter, literals) as Record<string, unknown>;
}

function converted(value: unknown, literals: Literals): unknown {
  if (Array.isArray(value)) return value.map((each) => converted(each, literals));
  if (!isObject(value)) return value;
  const { $oid: id, $date: date } = value;
  if (typeof id === 'string') return literals.objectId(id);
  if (typeof date === 'string') return instantOf(date);
  const object = Object.create(null) as Record<string, unknown>;
  for (const [key, each] of Object.entries(value)) object[key] = converted(each, literals);
  return object;
}

function refuse(path: string, row: IssueRow, message: string): never {
  throw invalid(path.slice(0, LONGEST_PATH), row, message);
}

const LONGEST_PATH = 500;
