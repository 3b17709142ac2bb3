import { ApiError, EdgeErrors, EdgeIssues, type ErrorRow, issueAt, type IssueRow } from '../../errors/index.ts';
import { type EndpointSpec, schemesOf, unauthorizedIn } from '../endpoint/index.ts';
import { codeOf, errorEnvelope } from '../envelope/index.ts';
import { jsonRpcRefusal } from '../json-rpc/index.ts';
import { pageOfError } from '../pages/index.ts';
import { exampleOf } from './examples.ts';
import { pascalCase } from './kinds.ts';
import { NAMES } from './shared-responses.ts';
import { meaningsOf } from './shared-schemas.ts';

/** Where an operation is in the document, and the schemas that it may refer to. */
interface Operation {
  readonly method: string;
  readonly path: string;
  readonly schemas: Record<string, object>;
  /** Issues of its parameters and body that are its module's own. */
  readonly fieldIssues: readonly IssueRow[];
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
        const ofFields = rows.some(isAboutForm) ? at.fieldIssues : [];
        // A field may have one with a message of its own.
        const issues = Map.groupBy([...ofFields, ...all.flatMap((row) => row.issues ?? [])], ({ code }) => code);
        return [
          String(status),
          errorResponse(
            rows,
            [...issues.values()].map(([first]) => first!),
            spec,
            at,
          ),
        ];
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
    ...((organization && method !== 'get' && method !== 'head') ||
    spec.idempotencyKey ||
    schemes.includes('execution') ||
    schemes.includes('gateway')
      ? [EdgeErrors.stateConflict]
      : []),
  ];
}

/** A route may name issues of its own for it. */
function isAboutForm({ code }: ErrorRow): boolean {
  return code === EdgeErrors.validationFailed.code;
}

function errorResponse(
  rows: readonly ErrorRow[],
  named: readonly IssueRow[],
  spec: EndpointSpec,
  { schemas }: Operation,
): object {
  if (spec.stream) return lineOfText(rows);
  const meta = exampleOf({ $ref: '#/components/schemas/Meta' }, schemas) as { timestamp: string };
  const messages = rows.map((row) => {
    const error = new ApiError(row, { issues: isAboutForm(row) ? [issueAt('name', EdgeIssues.required)] : [] });
    return spec.jsonRpc ? jsonRpcRefusal(error, codeOf(row, spec)) : errorEnvelope(error, meta, spec);
  });
  const codes = [...new Set(rows.map((row) => codeOf(row, spec)))];
  const said = {
    type: 'object',
    properties: { code: { type: 'string', enum: codes }, ...issuesOf(named, rows.some(isAboutForm)) },
  };
  const narrowed = spec.jsonRpc
    ? { error: { type: 'object', properties: { code: { type: 'integer' }, message: { type: 'string' }, data: said } } }
    : { statusCode: { type: 'integer', const: rows[0]!.status }, error: said };
  const $ref = `#/components/schemas/${spec.jsonRpc ? 'JsonRpcError' : 'ErrorBody'}`;
  const schema = { allOf: [{ $ref }, { type: 'object', properties: narrowed }] };
  const examples = Object.fromEntries(
    messages.map((value, index) => [rows[index]!.code, { summary: rows[index]!.message, value }]),
  );
  return {
    // An answer in another form is shared with none in the envelope.
    [NAMES]: spec.jsonRpc || spec.page ? [] : namesOf(rows, named),
    description: [...new Set(rows.map(({ message }) => message))].join(' '),
    content: { 'application/json': { schema, examples }, ...(spec.page ? pageOfError : {}) },
  };
}

/** What a `stream` route says: the message alone, which programs of others show as it is. */
function lineOfText(rows: readonly ErrorRow[]): object {
  const examples = rows.map(({ code, message }) => [code, { summary: code, value: `${message}\n` }] as const);
  return {
    [NAMES]: [],
    description: [...new Set(rows.map(({ message }) => message))].join(' '),
    content: { 'text/plain': { schema: { type: 'string' }, examples: Object.fromEntries(examples) } },
  };
}

/** Names an error by its codes, and then by the issues that are its own too. */
function namesOf(rows: readonly ErrorRow[], issues: readonly IssueRow[]): string[] {
  const words = (all: readonly { readonly code: string }[]) => all.map(({ code }) => pascalCase(code)).join('Or');
  const name = words(rows);
  return issues.length > 0 ? [name, `${name}With${words(issues)}`] : [name];
}

/** The issues of an error at one route: those of a request's form where it may be about that, and those it names. */
function issuesOf(named: readonly IssueRow[], isAboutForm: boolean): object {
  const own = named.length > 0 ? [{ type: 'string', enum: named.map(({ code }) => code) }] : [];
  const form = isAboutForm ? [{ $ref: '#/components/schemas/FormIssueCode' }] : [];
  const [only, ...others] = [...form, ...own];
  if (!only) return {};
  const code = others.length > 0 ? { anyOf: [only, ...others] } : only;
  return {
    issues: {
      type: 'array',
      ...(named.length > 0 ? { description: meaningsOf(named) } : {}),
      items: { allOf: [{ $ref: '#/components/schemas/Issue' }, { type: 'object', properties: { code } }] },
    },
  };
}
