/** One property of the objects that are made. */
export interface Property {
  readonly name: string;
  /** Where its value stands in what the object is made of. */
  readonly from: string | number;
  /** Makes the value of one that is neither null nor undefined; it stays as it is otherwise. */
  readonly convert: ((value: never) => unknown) | undefined;
  /** Whether it is an error that an answer lacks it. */
  readonly required: boolean;
}

/**
 * Compiles a function that makes an object of what holds its values, and null of null. It is an object literal, which the
 * engine gives one shape, where a loop would add one property after the other. (Measured for 51 rows of 38 columns: 5 µs,
 * 90 by a loop; for 50 answers of 20 properties, two of them parts: 2 µs, 40 by a loop.)
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
