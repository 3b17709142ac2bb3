import { type EndpointSpec, JSON_LIMIT_BYTES, SCHEMES, schemesOf } from '../endpoint/index.ts';
import { jsonRpcBody, jsonRpcResponses } from '../json-rpc/index.ts';
import { pageResponses } from '../pages/index.ts';
import {
  byteParameters,
  byteResponses,
  pictureParameters,
  pictureResponses,
  rawBody,
  streamResponses,
} from './byte-routes.ts';
import type { DeclaredOperation } from './endpoint-specs.ts';
import { errorResponses } from './error-responses.ts';
import { eventParameters, eventResponses } from './event-routes.ts';
import { exampleOf } from './examples.ts';
import { fieldIssues } from './field-issues.ts';
import { rightsOf } from './rights.ts';
import { documentResponses, successResponses } from './success-response.ts';

/** The parts of an operation that this file fills in. */
export interface Operation {
  operationId?: string;
  summary?: string;
  description?: string;
  parameters?: Parameter[];
  security?: Record<string, string[]>[];
  requestBody?: { required?: boolean; description?: string; content: Record<string, MediaType> };
  responses: Record<string, object>;
}
interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema?: object;
  example?: unknown;
}
interface MediaType {
  schema?: object;
  example?: unknown;
}

/** Fills in what the endpoint declares: who may call, what it takes beside its classes, and all that it answers. */
export function completeOperation(
  operation: Operation,
  { operationId, spec }: DeclaredOperation,
  at: { method: string; path: string; schemas: Record<string, object> },
): void {
  operation.operationId = operationId;
  operation.summary = spec.summary;
  const { extensions, sentence } = rightsOf(spec, at.path);
  Object.assign(operation, extensions);
  const description = [spec.description, sentence].filter((each) => each !== undefined).join('\n\n');
  if (description !== '') operation.description = description;
  operation.security = schemesOf(spec).map((scheme) => ({ [SCHEMES[scheme]]: [] }));
  if (spec.idempotencyKey)
    (operation.parameters ??= []).push(idempotencyKeyParameter(spec.idempotencyKey === 'required'));
  if (spec.bytes) (operation.parameters ??= []).push(...byteParameters);
  if (spec.picture) (operation.parameters ??= []).push(...pictureParameters);
  if (spec.events) (operation.parameters ??= []).push(...eventParameters(spec));
  declarePathParameters(operation, at.path);
  if (spec.raw) operation.requestBody = rawBody(spec) as NonNullable<Operation['requestBody']>;
  if (spec.jsonRpc) operation.requestBody = jsonRpcBody(spec);
  if (spec.form && operation.requestBody) asForm(operation.requestBody);
  const bound = bodyBound(spec);
  if (operation.requestBody && bound !== undefined) operation.requestBody.description = bound;
  for (const media of Object.values(operation.requestBody?.content ?? {}))
    if (media.schema && !spec.raw && !spec.jsonRpc) media.example = exampleOf(media.schema, at.schemas);
  operation.responses = {
    ...successesOf(spec, at),
    ...errorResponses(spec, { ...at, fieldIssues: fieldIssues(operation, at.schemas) }),
  };
}

/**
 * Declares path parameters that no class of the route declares, because the guard compares an execution's organization
 * with its token.
 */
function declarePathParameters(operation: Operation, path: string): void {
  for (const parameter of operation.parameters ?? [])
    if (parameter.in === 'path') parameter.description ??= meaningOf(parameter.name, path);
  const declared = new Set(operation.parameters?.filter((each) => each.in === 'path').map(({ name }) => name));
  const missing = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!).filter((name) => !declared.has(name));
  const schema = { type: 'string', format: 'uuid' };
  operation.parameters = [
    ...missing.map((name): Parameter => {
      return { name, in: 'path', required: true, description: meaningOf(name, path), schema };
    }),
    ...(operation.parameters ?? []),
  ];
}

/** `runRequestId` is the id of the run request, and `id` behind `/agent-profiles/` that of the agent profile. */
function meaningOf(name: string, path: string): string {
  const [, collection = ''] = new RegExp(`/([a-z-]+)s/\\{${name}\\}`).exec(path) ?? [];
  const noun = name === 'id' ? collection.replaceAll('-', ' ') : name.replace(/Id$/, '');
  return `Id of the ${noun.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)}`;
}

/** The limit of the whole body, stated because its fields together may allow more. */
function bodyBound({
  raw,
  form,
  bodyLimitBytes = raw || form ? undefined : JSON_LIMIT_BYTES,
}: EndpointSpec): string | undefined {
  if (bodyLimitBytes === undefined) return undefined;
  const most = `At most ${bodyLimitBytes / 1024 / 1024} MiB`;
  return raw ? `${most}.` : `${most} of JSON in total, even where its fields together would allow more.`;
}

function successesOf(
  spec: EndpointSpec,
  { method, schemas }: { method: string; schemas: Record<string, object> },
): Record<string, object> {
  if (spec.bytes) return byteResponses(spec, method);
  if (spec.picture) return pictureResponses(spec.picture, method);
  if (spec.stream) return streamResponses(spec);
  if (spec.text) return textResponses(spec);
  if (spec.page) return pageResponses(spec, method);
  if (spec.document) return documentResponses(spec, schemas);
  if (spec.jsonRpc) return jsonRpcResponses(spec);
  return spec.events ? eventResponses(spec, schemas) : successResponses(spec, method, schemas);
}

function textResponses({ status, message, text: { type, example } }: Extract<EndpointSpec, { text: object }>) {
  const [mediaType] = type.split('; charset=');
  const content = { [mediaType!]: { schema: { type: 'string' }, example } };
  return { [status ?? 200]: { description: message ?? 'Success', content } };
}

/** Swagger takes every body for JSON. */
function asForm(body: NonNullable<Operation['requestBody']>): void {
  const { 'application/json': media = {} } = body.content;
  body.content = { 'application/x-www-form-urlencoded': media };
}

function idempotencyKeyParameter(required: boolean): Parameter {
  return {
    name: 'Idempotency-Key',
    in: 'header',
    required,
    description:
      'A UUID that you choose. A repeat with the same key and details gets the data of the first answer; the same key with other details is a conflict.',
    schema: { type: 'string', format: 'uuid' },
    example: '6f1c1d0e-9d4b-4a55-8f0e-3f6f0a1b2c3d',
  };
}
