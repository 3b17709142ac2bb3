import type { Type } from '@nestjs/common';
import type { EndpointSpec } from '../endpoint/index.ts';
import { exampleOf } from './examples.ts';
import { schemaOf } from './schema-names.ts';

/**
 * The success responses of an operation by status, among them that of finding what it should create. HEAD has only
 * headers.
 */
export function successResponses(
  spec: EndpointSpec & { readonly returns: Type },
  method: string,
  schemas: Record<string, object>,
): Record<string, object> {
  if (method === 'head') return { [spec.status ?? 200]: { description: spec.message ?? 'Success' } };
  return {
    ...(spec.existing ? { 200: successResponse({ ...spec, status: 200, message: spec.existing }, schemas) } : {}),
    [spec.status ?? 200]: successResponse(spec, schemas),
    ...(spec.accepted ? { 202: successResponse({ ...spec, status: 202, message: spec.accepted }, schemas) } : {}),
  };
}

/** The success response of an operation, with an example made from its fields. */
function successResponse(spec: EndpointSpec & { readonly returns: Type }, schemas: Record<string, object>): object {
  const item = schemaOf(spec.returns);
  const schema = {
    type: 'object',
    required: ['success', 'statusCode', 'message', 'data', ...(spec.list ? ['pagination'] : []), 'meta'],
    properties: {
      success: { type: 'boolean', const: true },
      statusCode: { type: 'integer', const: spec.status ?? 200 },
      message: { type: 'string', example: spec.message ?? 'OK' },
      data: spec.list || spec.array ? { type: 'array', items: item } : item,
      ...(spec.list ? { pagination: { $ref: '#/components/schemas/Pagination' } } : {}),
      meta: { $ref: `#/components/schemas/${spec.warns ? 'WarnedMeta' : spec.restates ? 'RestatedMeta' : 'Meta'}` },
    },
  };
  return {
    description: spec.message ?? 'Success',
    ...(spec.idempotencyKey ? { headers: REPLAYED } : {}),
    content: { 'application/json': { schema, example: exampleOf(schema, schemas) } },
  };
}

/** The success response of a `document` route. */
export function documentResponses(
  { status, message, document: { type, maxAgeSeconds } }: Extract<EndpointSpec, { document: object }>,
  schemas: Record<string, object>,
): Record<string, object> {
  const schema = schemaOf(type);
  return {
    [status ?? 200]: {
      description: message ?? 'The document, without an envelope',
      headers: {
        'Cache-Control': {
          description: 'How long anybody may keep it',
          schema: { type: 'string' },
          example: `public, max-age=${maxAgeSeconds}`,
        },
      },
      content: { 'application/json': { schema, example: exampleOf(schema, schemas) } },
    },
  };
}

const REPLAYED = {
  'Idempotent-Replayed': {
    description: '`true` when this repeats an earlier answer',
    schema: { type: 'string', enum: ['true'] },
  },
};
