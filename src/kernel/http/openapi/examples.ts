interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly example?: unknown;
  readonly examples?: readonly unknown[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly format?: string;
  readonly minimum?: number;
  readonly items?: object;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, object>>;
  readonly allOf?: readonly object[];
  readonly anyOf?: readonly object[];
  readonly oneOf?: readonly object[];
}

const BY_FORMAT: Readonly<Record<string, string>> = {
  uuid: '0199c9a4-5b1e-7c3a-9f42-1c8f6f0f2a11',
  'date-time': '2026-03-01T09:30:00.000000Z',
};

/** Whether an optional property is worth showing; an invented scalar would only mislead. */
function saysSomething(of: object): boolean {
  const { $ref, allOf, anyOf, properties, example, default: fallback } = of as Schema;
  return [$ref, allOf, anyOf, properties, example, fallback].some((part) => part !== undefined);
}

/** Builds an example value for a schema from the examples of its fields. */
export function exampleOf(of: object, schemas: Readonly<Record<string, object>>): unknown {
  const schema = of as Schema;
  for (const given of [schema.example, schema.examples?.[0], schema.const, schema.default])
    if (given !== undefined) return given;
  if (schema.$ref) return exampleOf(schemas[schema.$ref.split('/').at(-1)!] ?? {}, schemas);
  const [variant] = [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  if (variant) return exampleOf(variant, schemas);
  if (schema.enum) return schema.enum[0];
  if (schema.properties)
    return Object.fromEntries(
      Object.entries(schema.properties)
        .filter(([key, value]) => schema.required?.includes(key) || saysSomething(value))
        .map(([key, value]) => [key, exampleOf(value, schemas)]),
    );
  switch (typeof schema.type === 'string' ? schema.type : schema.type?.[0]) {
    case 'array':
      return schema.items ? [exampleOf(schema.items, schemas)] : [];
    case 'integer':
    case 'number':
      return schema.minimum ?? 0;
    case 'boolean':
      return true;
    case 'object':
      return {};
    default:
      return BY_FORMAT[schema.format ?? ''] ?? 'text';
  }
}
