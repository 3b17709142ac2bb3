/** One property of the objects to make. */
export interface Property {
  readonly name: string;
  /** The key or index of its value in the source. */
  readonly from: string | number;
  /** Converts a value; null and undefined stay as they are. */
  readonly convert: ((value: never) => unknown) | undefined;
  /** Whether a missing value throws. */
  readonly required: boolean;
}

/**
 * Compiles a function that makes an object from a source of its values, and null from null. Uses an object literal, to
 * which the engine gives one shape; a loop would add one property after the other. (Measured for 51 rows of 38 columns:
 * 5 µs, 90 µs with a loop; for 50 answers of 20 properties, two of them nested: 2 µs, 40 µs with a loop.)
 */
export function objectMaker<From>(properties: readonly Property[]): (from: From) => unknown {
  const values = properties.map(({ name, from, convert, required }, index) => {
    const given = `from[${JSON.stringify(from)}]`;
    const value = convert ? `(value = ${given}) == null ? value : converts[${index}](value)` : given;
    return `${JSON.stringify(name)}: ${required ? `present(${value}, ${JSON.stringify(name)})` : value}`;
  });
  const body = `return (from) => { let value; return from === null ? null : { ${values.join(', ')} }; };`;
  const converts = properties.map(({ convert }) => convert);
  // oxlint-disable-next-line typescript/no-implied-eval
  return new Function('converts', 'present', body)(converts, present) as (from: From) => unknown;
}

function present(value: unknown, name: string): unknown {
  if (value === undefined) throw new TypeError(`An answer lacks its "${name}".`);
  return value;
}
