import { EdgeIssues } from '../errors/index.ts';
import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, getSchemaPath } from '@nestjs/swagger';
import { instanceOf } from './conversion.ts';
import { Converted, field, type FieldOptions, LIST_OF_OBJECTS } from './field.ts';
import type { Convert } from './field-table.ts';
import { OneOf } from './text-fields.ts';

/** Classes by the value of their `kind`, which each class declares as `@OneOf([…])` with that one value. */
export type Variants = Readonly<Record<string, Type>>;

const isObject = (value: unknown): value is { readonly kind?: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An object of one of several classes, chosen by its `kind`. */
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

/** A list of objects, each of one of several classes, chosen by its `kind`. */
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
  /** Keeps only the kind of an object of unknown kind, so that only the kind is an issue. */
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
    // Without the mapping, readers of the document take the names of the schemas as the kinds.
    discriminator: { propertyName: 'kind', mapping: Object.fromEntries(paths) },
  };
}

/** Registers classes that only a `oneOf` names; Swagger finds them only through the class around them. */
function documents(variants: Variants): PropertyDecorator {
  return (target) => ApiExtraModels(...Object.values(variants))(target.constructor);
}
