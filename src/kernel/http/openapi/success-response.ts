import type { Type } from '@nestjs/common';
import { definedIssues, type IssueRow } from '../../errors/index.ts';
import type { EndpointSpec } from '../endpoint/index.ts';
import { exampleOf } from './examples.ts';

const cursor = { type: ['string', 'null'] };

/** What each of these codes says, as a list. */
export function meaningsOf(issues: readonly IssueRow[]): string {
  return issues.map(({ code, message }) => `- \`${code}\`: ${message}`).join('\n');
}

/** Schemas that every envelope uses; of issues with all that modules have defined. */
export const sharedSchemas = () => ({
  Meta: {
    type: 'object',
    required: ['timestamp'],
    properties: {
      timestamp: { type: 'string', format: 'date-time', example: '2026-03-01T09:30:00.000Z' },
      requestId: {
        type: 'string',
        description: 'Taken from `X-Request-Id`, or made by the service',
        example: '4b2f7d0c-5f7e-4a7e-b1d4-6f0e8c9a1b2c',
      },
      traceId: {
        type: 'string',
        description: 'Taken from the W3C `traceparent`, if there was one',
        example: '4bf92f3577b34da6a3ce929d0e0e4736',
      },
    },
  },
  Pagination: {
    type: 'object',
    required: ['cursor', 'limit', 'nextCursor', 'previousCursor', 'hasNextPage', 'hasPreviousPage'],
    properties: {
      cursor: { ...cursor, description: 'The cursor of this page; null on the first', example: null },
      limit: { type: 'integer', example: 50 },
      nextCursor: { ...cursor, description: 'Continues the list; null on the last page', example: null },
      previousCursor: {
        ...cursor,
        description: 'The previous page; null when that is the first page, which is read without a cursor',
        example: null,
      },
      hasNextPage: { type: 'boolean', example: false },
      hasPreviousPage: { type: 'boolean', example: false },
    },
  },
  Issue: {
    type: 'object',
    required: ['path', 'message', 'code'],
    properties: {
      path: { type: 'string', description: 'Dotted path of the value; empty for the whole body', example: 'name' },
      message: { type: 'string', example: 'is required' },
      code: {
        type: 'string',
        description: `Stable snake_case word; more may come.

${meaningsOf(definedIssues())}`,
        example: 'required',
      },
    },
  },
});

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
  };
}

/** The success response of an operation, with an example made from its fields. */
function successResponse(spec: EndpointSpec & { readonly returns: Type }, schemas: Record<string, object>): object {
  const item = { $ref: `#/components/schemas/${spec.returns.name}` };
  const schema = {
    type: 'object',
    required: ['success', 'statusCode', 'message', 'data', ...(spec.list ? ['pagination'] : []), 'meta'],
    properties: {
      success: { type: 'boolean', const: true },
      statusCode: { type: 'integer', const: spec.status ?? 200 },
      message: { type: 'string', example: spec.message ?? 'OK' },
      data: spec.list || spec.array ? { type: 'array', items: item } : item,
      ...(spec.list ? { pagination: { $ref: '#/components/schemas/Pagination' } } : {}),
      meta: { $ref: '#/components/schemas/Meta' },
    },
  };
  return {
    description: spec.message ?? 'Success',
    ...(spec.idempotencyKey ? { headers: REPLAYED } : {}),
    content: { 'application/json': { schema, example: exampleOf(schema, schemas) } },
  };
}

const REPLAYED = {
  'Idempotent-Replayed': {
    description: '`true` when this repeats an earlier answer',
    schema: { type: 'string', enum: ['true'] },
  },
};
