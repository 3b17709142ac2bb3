import { EdgeIssues, type IssueRow } from '../../../kernel/errors/index.ts';

/** Steps over schema and value in one judgement; what is not judged by then is accepted. */
const MOST_STEPS = 100_000;
/** Characters of a text that count as one step. */
const CHARACTERS_A_STEP = 64;

type JsonObject = Readonly<Record<string, unknown>>;
type Path = readonly (string | number)[];

/** The first thing in a value that its schema does not take. */
export interface Fault {
  readonly path: Path;
  readonly row: IssueRow;
}

/**
 * Judges a value by a schema that somebody else wrote, by a list of keywords of JSON Schema. Never refuses what the schema
 * accepts: references, patterns and formats are passed over, and with them what would be wrong without them, so `oneOf` is
 * `anyOf`, `not`, `if` and `unevaluated…` say nothing, and `additionalProperties` neither where patterns of names stand
 * beside it. Walks the schema instead of compiling it: 2,000 small schemas take `ajv` a second to compile and four to hold
 * against 5,000 values, this a few milliseconds before it stops to judge.
 */
export function faultOf(schema: unknown, value: unknown): Fault | undefined {
  try {
    return new Judgement().faultIn(schema, value, []);
  } catch (error) {
    if (error instanceof Exhausted) return undefined;
    throw error;
  }
}

class Exhausted extends Error {}

class Judgement {
  private steps = 0;

  faultIn(schema: unknown, value: unknown, path: Path): Fault | undefined {
    this.step(1);
    if (schema === false) return { path, row: EdgeIssues.unknownProperty };
    if (!isObject(schema)) return undefined;
    const row = this.rowOf(schema, value);
    if (row) return { path, row };
    if (Array.isArray(value)) return this.faultInItems(schema, value, path) ?? this.faultByChoice(schema, value, path);
    if (isObject(value)) return this.faultInObject(schema, value, path) ?? this.faultByChoice(schema, value, path);
    return this.faultByChoice(schema, value, path);
  }

  /** What is wrong with the value as such. */
  private rowOf(schema: JsonObject, value: unknown): IssueRow | undefined {
    if (!this.isOfType(schema['type'], value)) return EdgeIssues.wrongType;
    const values = Array.isArray(schema['enum']) && schema['enum'].length > 0 ? schema['enum'] : undefined;
    if (values && !values.some((each) => this.areEqual(each, value))) return EdgeIssues.unknownValue;
    if (Object.hasOwn(schema, 'const') && !this.areEqual(schema['const'], value)) return EdgeIssues.unknownValue;
    if (typeof value === 'number' && !isInRange(schema, value)) return EdgeIssues.outOfRange;
    if (!isLong(schema, value, (text) => this.charactersOf(text))) return EdgeIssues.invalidLength;
    return undefined;
  }

  private faultInObject(schema: JsonObject, value: JsonObject, path: Path): Fault | undefined {
    const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
    this.step(required.length);
    const missing = required.find((name) => typeof name === 'string' && !Object.hasOwn(value, name));
    if (typeof missing === 'string') return { path: [...path, missing], row: EdgeIssues.required };
    const properties = isObject(schema['properties']) ? schema['properties'] : {};
    const others = schema['patternProperties'] === undefined ? schema['additionalProperties'] : undefined;
    for (const [name, each] of Object.entries(value)) {
      const described = Object.hasOwn(properties, name) ? properties[name] : others;
      const fault = this.faultIn(described, each, [...path, name]);
      if (fault) return fault;
    }
    return undefined;
  }

  /** The form of before 2020, a list of schemas as `items`, is what is `prefixItems` now. */
  private faultInItems(schema: JsonObject, values: readonly unknown[], path: Path): Fault | undefined {
    const isOld = Array.isArray(schema['items']);
    const first: unknown = isOld ? schema['items'] : schema['prefixItems'];
    const rest: unknown = isOld ? schema['additionalItems'] : schema['items'];
    for (const [index, each] of values.entries()) {
      const described: unknown = Array.isArray(first) && index < first.length ? first[index] : rest;
      const fault = this.faultIn(described, each, [...path, index]);
      if (fault) return fault;
    }
    return undefined;
  }

  private faultByChoice(schema: JsonObject, value: unknown, path: Path): Fault | undefined {
    for (const each of listOf(schema['allOf'])) {
      const fault = this.faultIn(each, value, path);
      if (fault) return fault;
    }
    for (const branches of [listOf(schema['anyOf']), listOf(schema['oneOf'])]) {
      const faults: Fault[] = [];
      for (const each of branches) {
        const fault = this.faultIn(each, value, path);
        if (!fault) break;
        faults.push(fault);
      }
      // Of several branches none is the one that was meant.
      if (faults.length === branches.length && faults.length > 0)
        return faults.length === 1 ? faults[0] : { path, row: EdgeIssues.wrongType };
    }
    return undefined;
  }

  private isOfType(type: unknown, value: unknown): boolean {
    const types = (Array.isArray(type) ? type : [type]).filter((each) => TYPES.has(each as string));
    const isWhole = Number.isInteger(value);
    const own = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
    // A list with a type that is none may mean anything.
    if (types.length === 0 || (Array.isArray(type) && types.length < type.length)) return true;
    return types.includes(own) || (isWhole && types.includes('integer'));
  }

  private areEqual(one: unknown, other: unknown): boolean {
    this.step(1);
    if (one === other) return true;
    if (Array.isArray(one))
      return (
        Array.isArray(other) && one.length === other.length && one.every((each, at) => this.areEqual(each, other[at]))
      );
    if (!isObject(one) || !isObject(other)) return false;
    const names = Object.keys(one);
    return (
      names.length === Object.keys(other).length &&
      names.every((name) => Object.hasOwn(other, name) && this.areEqual(one[name], other[name]))
    );
  }

  private charactersOf(text: string): number {
    this.step(Math.ceil(text.length / CHARACTERS_A_STEP));
    let pairs = 0;
    for (let at = 0; at < text.length; at += 1) {
      if (text.codePointAt(at)! <= 0xff_ff) continue;
      pairs += 1;
      at += 1;
    }
    return text.length - pairs;
  }

  private step(count: number): void {
    this.steps += count;
    if (this.steps > MOST_STEPS) throw new Exhausted();
  }
}

const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'null', 'array', 'object']);

function isInRange(schema: JsonObject, value: number): boolean {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  return !(
    (isNumber(minimum) && value < minimum) ||
    (isNumber(maximum) && value > maximum) ||
    (isNumber(exclusiveMinimum) && value <= exclusiveMinimum) ||
    (isNumber(exclusiveMaximum) && value >= exclusiveMaximum) ||
    // Of a fraction, what is computed in binary says no to what is a multiple in decimal.
    (Number.isSafeInteger(multipleOf) && (multipleOf as number) > 0 && value % (multipleOf as number) !== 0)
  );
}

/** Whether a text, a list or an object is neither too short nor too long; anything else has no length. */
function isLong(schema: JsonObject, value: unknown, charactersOf: (text: string) => number): boolean {
  const kind =
    typeof value === 'string' ? 'Length' : Array.isArray(value) ? 'Items' : isObject(value) ? 'Properties' : '';
  if (kind === '') return true;
  const [least, most] = [schema[`min${kind}`], schema[`max${kind}`]];
  if (!isCount(least) && !isCount(most)) return true;
  const length = typeof value === 'string' ? charactersOf(value) : Object.keys(value as object).length;
  return !((isCount(least) && length < least) || (isCount(most) && length > most));
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
