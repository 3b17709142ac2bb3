/** Schemas in one; those beyond accept anything. */
const MOST_NODES = 2_000;

type JsonObject = Readonly<Record<string, unknown>>;

/** Keywords with a plain value, and what that has to be. */
const PLAIN: Readonly<Record<string, (value: unknown) => boolean>> = {
  type: isType,
  required: areTexts,
  minLength: isCount,
  maxLength: isCount,
  minItems: isCount,
  maxItems: isCount,
  minProperties: isCount,
  maxProperties: isCount,
  minimum: isFinite,
  maximum: isFinite,
  exclusiveMinimum: isFinite,
  exclusiveMaximum: isFinite,
  // Of a fraction, what is computed in binary says no to what is a multiple in decimal.
  multipleOf: (value) => isCount(value) && value !== 0,
};

/**
 * Builds a schema anew from a list of keywords, so that nothing of what a server sent decides what is compiled or how long
 * it takes. Only leaves out or loosens: what the given schema accepts, the rebuilt one accepts. So references and patterns
 * are gone, and with them what would be wrong without them: `oneOf` is `anyOf`, `not`, `if` and `unevaluated…` are left out,
 * and `additionalProperties` where patterns of names stand beside it.
 */
export function rebuiltSchema(given: unknown): object | boolean {
  return new Rebuilding().schemaOf(given);
}

class Rebuilding {
  private nodes = 0;

  schemaOf(given: unknown): Record<string, unknown> | boolean {
    this.nodes += 1;
    if (given === false) return false;
    if (!isObject(given) || this.nodes > MOST_NODES) return {};
    const plain = Object.entries(PLAIN).filter(([name, isSound]) => has(given, name) && isSound(given[name]));
    const built: Record<string, unknown> = Object.fromEntries(plain.map(([name]) => [name, given[name]]));
    this.addValues(given, built);
    this.addProperties(given, built);
    this.addItems(given, built);
    this.addChoices(given, built);
    return built;
  }

  /** Values of `enum` and `const` count as nodes, since each is compared with. */
  private addValues(given: JsonObject, built: Record<string, unknown>): void {
    if (has(given, 'const') && this.fits(given.const)) built['const'] = given.const;
    if (Array.isArray(given['enum']) && given['enum'].length > 0 && this.fits(given['enum']))
      built['enum'] = [...new Set(given['enum'])];
  }

  private addProperties(given: JsonObject, built: Record<string, unknown>): void {
    const properties = isObject(given.properties) ? Object.entries(given.properties) : [];
    // A property of this name would be the prototype of the object that it is added to.
    const named = properties.filter(([name]) => name !== '__proto__');
    if (named.length > 0)
      built['properties'] = Object.fromEntries(named.map(([name, schema]) => [name, this.schemaOf(schema)]));
    const isOpen = has(given, 'patternProperties') || named.length < properties.length;
    if (has(given, 'additionalProperties') && !isOpen)
      built['additionalProperties'] = this.schemaOf(given.additionalProperties);
  }

  /** The form of before 2020, a list of schemas, is what is `prefixItems` now. */
  private addItems(given: JsonObject, built: Record<string, unknown>): void {
    const isOld = Array.isArray(given.items);
    const first = isOld ? given.items : given.prefixItems;
    const rest = isOld ? given.additionalItems : given.items;
    if (Array.isArray(first) && first.length > 0) built['prefixItems'] = first.map((each) => this.schemaOf(each));
    if (rest !== undefined) built['items'] = this.schemaOf(rest);
  }

  private addChoices(given: JsonObject, built: Record<string, unknown>): void {
    const choices = ['anyOf', 'oneOf'].flatMap((name) => {
      const branches = given[name];
      return Array.isArray(branches) && branches.length > 0
        ? [{ anyOf: branches.map((each) => this.schemaOf(each)) }]
        : [];
    });
    const all = Array.isArray(given.allOf) ? given.allOf.map((each) => this.schemaOf(each)) : [];
    if (choices.length + all.length > 0) built['allOf'] = [...choices, ...all];
  }

  /** Whether a value may be compared with: it counts like the schemas. */
  private fits(value: unknown): boolean {
    this.nodes += valuesIn(value, MOST_NODES + 1);
    return this.nodes <= MOST_NODES;
  }
}

/** Values in a value, itself among them; counted up to a bound. */
export function valuesIn(value: unknown, most: number): number {
  let count = 1;
  if (typeof value !== 'object' || value === null) return count;
  for (const each of Object.values(value)) {
    if (count >= most) return count;
    count += valuesIn(each, most - count);
  }
  return count;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function has(schema: JsonObject, name: string): boolean {
  return Object.hasOwn(schema, name);
}

const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'null', 'array', 'object']);

function isType(value: unknown): boolean {
  const types = Array.isArray(value) ? value : [value];
  return types.length > 0 && new Set(types).size === types.length && types.every((each) => TYPES.has(each as string));
}

function areTexts(value: unknown): boolean {
  return (
    Array.isArray(value) && new Set(value).size === value.length && value.every((each) => typeof each === 'string')
  );
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isFinite(value: unknown): value is number {
  return Number.isFinite(value);
}
