import { EdgeIssues } from '../errors/index.ts';
import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, getSchemaPath } from '@nestjs/swagger';
import { instanceOf } from './conversion.ts';
import { Converted, field, type FieldOptions, LIST_OF_OBJECTS } from './field.ts';
import type { Convert } from './field-table.ts';
import { OneOf } from './text-fields.ts';

/** Classes by the value of their `kind`, which each declares as `@OneOf([…])` of that one value. */
export type Variants = Readonly<Record<string, Type>>;

const isObject = (value: unknown): value is { readonly kind?: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An object that says by its `kind` which of several classes it is. */
export function Variant(variants: Variants, options: FieldOptions = {}): PropertyDecorator {
  const convert = conversion(variants);
  return applyDecorators(
    Converted(convert),
    field(
      schemaOf(variants),
      [{ issue: EdgeIssues.wrongType, message: 'must be an object', passes: isObject }],
      options,
      {
        isList: false,
      },
    ),
    documents(variants),
  );
}

/** A list of objects of which each says by its `kind` which of several classes it is. */
export function VariantList(
  variants: Variants,
  options: FieldOptions & { readonly min?: number; readonly max?: number } = {},
): PropertyDecorator {
  const { min = 0, max = 1_000, ...rest } = options;
  const convert = conversion(variants);
  return applyDecorators(
    Converted((value, source) => (Array.isArray(value) ? value.map((item) => convert(item, source)) : value)),
    field(
      { type: 'array', items: schemaOf(variants), minItems: min, maxItems: max },
      [
        LIST_OF_OBJECTS,
        {
          issue: EdgeIssues.invalidLength,
          message: `must have ${min} to ${max} items`,
          passes: (value) => Array.isArray(value) && value.length >= min && value.length <= max,
        },
      ],
      rest,
      { isList: true },
    ),
    documents(variants),
  );
}

function conversion(variants: Variants): Convert {
  /** Of an unknown kind only the kind is worth an issue. */
  class Unknown {
    kind?: unknown;
  }
  OneOf(Object.keys(variants))(Unknown.prototype, 'kind');
  return (value, source) => {
    if (!isObject(value)) return value;
    const { kind } = value;
    if (typeof kind === 'string' && Object.hasOwn(variants, kind)) return instanceOf(variants[kind]!, value, source);
    return Object.assign(new Unknown(), kind === undefined ? {} : { kind });
  };
}

function schemaOf(variants: Variants) {
  const paths = Object.entries(variants).map(([kind, variant]) => [kind, getSchemaPath(variant)] as const);
  return {
    oneOf: paths.map(([, $ref]) => ({ $ref })),
    // Without it a reader of the document takes the names of the schemas for the kinds.
    discriminator: { propertyName: 'kind', mapping: Object.fromEntries(paths) },
  };
}

/** Swagger finds classes that only a `oneOf` names when the class around them says so. */
function documents(variants: Variants): PropertyDecorator {
  return (target) => ApiExtraModels(...Object.values(variants))(target.constructor);
}
