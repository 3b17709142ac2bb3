/** What a field's schema says where only objects of some kinds have it; `kernel/validation` writes it. */
interface Marked {
  readonly 'x-kinds'?: readonly string[];
  readonly 'x-may-lack'?: boolean;
}

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, Marked & KindSchema>>;
  readonly required?: readonly string[];
}

interface KindSchema {
  readonly enum?: readonly string[];
  readonly example?: string;
}

/**
 * Splits each schema whose fields say to which kinds they belong into a schema a kind, and makes it their union: so that
 * generated clients know what an object of a kind has. The kind of the example comes first.
 */
export function splitByKind(schemas: Readonly<Record<string, object>>): Record<string, object> {
  return Object.fromEntries(
    Object.entries(schemas).flatMap(([name, schema]): [string, object][] => {
      const { properties = {} } = schema as ObjectSchema;
      const isSplit = Object.values(properties).some((property) => property['x-kinds']);
      return isSplit ? variantsOf(name, schema) : [[name, schema]];
    }),
  );
}

function variantsOf(name: string, schema: ObjectSchema): [string, object][] {
  const { enum: kinds = [], example } = schema.properties!.kind!;
  const ordered = kinds.toSorted((a, b) => Number(b === example) - Number(a === example));
  const variants = ordered.map((kind) => [kind, `${name}${pascalCase(kind)}`] as const);
  const $ref = (variant: string) => `#/components/schemas/${variant}`;
  const union = {
    oneOf: variants.map(([, variant]) => ({ $ref: $ref(variant) })),
    discriminator: {
      propertyName: 'kind',
      mapping: Object.fromEntries(variants.map(([kind, variant]) => [kind, $ref(variant)])),
    },
  };
  return [[name, union], ...variants.map(([kind, variant]): [string, object] => [variant, ofKind(schema, kind)])];
}

function ofKind({ properties = {}, required = [], ...others }: ObjectSchema, kind: string): object {
  const own = Object.entries(properties).filter(([, property]) => property['x-kinds']?.includes(kind) ?? true);
  const isRequired = ([name, property]: (typeof own)[number]) =>
    property['x-kinds'] ? !property['x-may-lack'] : required.includes(name);
  return {
    ...others,
    properties: Object.fromEntries(
      own.map(([name, { 'x-kinds': _kinds, 'x-may-lack': _mayLack, ...property }]) => [
        name,
        name === 'kind' ? { type: 'string', enum: [kind] } : property,
      ]),
    ),
    required: own.filter(isRequired).map(([name]) => name),
  };
}

/** `dependency_failed` is `DependencyFailed`, and `web-analytics` `WebAnalytics`. */
export function pascalCase(word: string): string {
  return word.replace(/(^|[_-])([a-z])/g, (_match, _start, letter: string) => letter.toUpperCase());
}
