import { ApiError, EdgeErrors, EdgeIssues, type ErrorRow, issueAt, type IssueRow } from '../../errors/index.ts';
import { type EndpointSpec, schemesOf, unauthorizedIn } from '../endpoint/index.ts';
import { errorEnvelope } from '../envelope/index.ts';
import { exampleOf } from './examples.ts';
import { meaningsOf } from './success-response.ts';

/** Where an operation is in the document, and the schemas that it may refer to. */
interface Operation {
  readonly method: string;
  readonly path: string;
  readonly schemas: Record<string, object>;
}

/**
 * The error responses of an operation by status: those that it declares, and those that every route of its kind has.
 */
export function errorResponses(spec: EndpointSpec, at: Operation): Record<string, object> {
  const byStatus = Map.groupBy([...(spec.errors ?? []), ...impliedErrors(spec, at)], ({ status }) => status);
  return Object.fromEntries(
    [...byStatus]
      .sort(([a], [b]) => a - b)
      .map(([status, all]) => {
        const rows = all.filter((row, index) => all.findIndex(({ code }) => code === row.code) === index);
        const issues = new Set(all.flatMap((row) => row.issues ?? []));
        return [String(status), errorResponse(rows, [...issues], spec, at)];
      }),
  );
}

function impliedErrors(spec: EndpointSpec, { method, path }: Operation): ErrorRow[] {
  const schemes = schemesOf(spec);
  const organization = schemes.includes('owner') && path.includes('{organizationId}');
  return [
    ...(schemes.length > 0 ? [EdgeErrors.validationFailed, unauthorizedIn(spec, path)] : []),
    ...(organization ? [EdgeErrors.organizationNotFound] : []),
    ...(spec.bytes ? [EdgeErrors.preconditionFailed, EdgeErrors.rangeNotSatisfiable] : []),
    ...(spec.events ? [EdgeErrors.serviceUnavailable] : []),
    // An organization takes no writes during onboarding; a reused key may come with other details; an execution may
    // have ended.
    ...((organization && method !== 'get' && method !== 'head') || spec.idempotencyKey || schemes.includes('execution')
      ? [EdgeErrors.stateConflict]
      : []),
  ];
}

function errorResponse(
  rows: readonly ErrorRow[],
  named: readonly IssueRow[],
  spec: EndpointSpec,
  { schemas }: Operation,
): object {
  const meta = exampleOf({ $ref: '#/components/schemas/Meta' }, schemas) as { timestamp: string };
  const envelopes = rows.map((row) => {
    const issues = row === EdgeErrors.validationFailed ? [issueAt('name', EdgeIssues.required)] : [];
    return errorEnvelope(new ApiError(row, { issues }), meta, spec);
  });
  const codes = [...new Set(envelopes.map(({ error }) => error.code))];
  const schema = {
    type: 'object',
    required: ['success', 'statusCode', 'message', 'error', 'meta'],
    properties: {
      success: { type: 'boolean', const: false },
      statusCode: { type: 'integer', const: rows[0]!.status },
      message: { type: 'string' },
      error: {
        type: 'object',
        required: ['code'],
        properties: {
          code: { type: 'string', enum: codes },
          issues: {
            type: 'array',
            items: { $ref: '#/components/schemas/Issue' },
            ...(named.length > 0 ? { description: meaningsOf(named) } : {}),
          },
        },
      },
      meta: { $ref: '#/components/schemas/Meta' },
    },
  };
  const examples = Object.fromEntries(
    envelopes.map((value, index) => [rows[index]!.code, { summary: rows[index]!.message, value }]),
  );
  return {
    description: [...new Set(rows.map(({ message }) => message))].join(' '),
    content: { 'application/json': { schema, examples } },
  };
}
