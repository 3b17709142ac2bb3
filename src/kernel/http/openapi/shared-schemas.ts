import { definedIssues, FORM_ISSUES, type IssueRow } from '../../errors/index.ts';

const cursor = { type: ['string', 'null'] };

const META = {
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
};

/** What each of these codes says, as a list. */
export function meaningsOf(issues: readonly IssueRow[]): string {
  return issues.map(({ code, message }) => `- \`${code}\`: ${message}`).join('\n');
}

/** Schemas that every envelope uses; of issues with all that modules have defined. */
export const sharedSchemas = () => ({
  Meta: {
    type: 'object',
    required: ['timestamp'],
    properties: META,
  },
  WarnedMeta: {
    type: 'object',
    required: ['timestamp'],
    properties: {
      ...META,
      warnings: {
        type: 'array',
        description: 'What of the request counts for nothing; the rest was done. At most 20, and none where all counts',
        items: { $ref: '#/components/schemas/Issue' },
      },
    },
  },
  RestatedMeta: {
    type: 'object',
    required: ['timestamp', 'restatedAt'],
    properties: {
      ...META,
      restatedAt: {
        type: ['string', 'null'],
        format: 'date-time',
        description:
          'Since when a settled value of the answer is known to differ; null where none is. The answer stays',
        example: null,
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
      params: {
        type: 'object',
        description: 'What a program needs of some codes beyond the code itself',
        properties: {
          length: { type: 'integer', description: 'Of `gap`: where the next text begins', example: 1_024 },
          tasks: {
            type: 'array',
            description:
              'Of `cycle` among dependencies: at most 100 of its tasks in order, by `ref` where the plan creates them, else by id; each waits for the next one, and the last for the first',
            items: { type: 'string' },
            example: ['draft', 'review'],
          },
        },
      },
    },
  },
  FormIssueCode: {
    type: 'string',
    description: 'What may be wrong with the form of any request',
    enum: FORM_ISSUES.map(({ code }) => code),
  },
  ErrorBody: {
    type: 'object',
    description: 'The envelope of every error',
    required: ['success', 'statusCode', 'message', 'error', 'meta'],
    properties: {
      success: { type: 'boolean', const: false },
      statusCode: { type: 'integer', example: 404 },
      message: { type: 'string', description: 'For people; it may change', example: 'There is no such task.' },
      error: {
        type: 'object',
        required: ['code'],
        properties: {
          code: { type: 'string', description: 'Stable snake_case word', example: 'task_not_found' },
          issues: {
            type: 'array',
            description: 'What is wrong where, if the error is about values',
            items: { $ref: '#/components/schemas/Issue' },
          },
        },
      },
      meta: { $ref: '#/components/schemas/Meta' },
    },
  },
});
