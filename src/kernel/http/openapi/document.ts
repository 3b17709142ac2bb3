import type { INestApplicationContext } from '@nestjs/common';
import { MetadataScanner, ModulesContainer } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import {
  defaultOperationId,
  type EndpointSpec,
  endpointOf,
  operationIdOf,
  SCHEMES,
  schemesOf,
  JSON_LIMIT_BYTES,
} from '../endpoint/index.ts';
import { byteParameters, byteResponses, rawBody } from './byte-routes.ts';
import { eventParameters, eventResponses } from './event-routes.ts';
import { VERSION } from '../../../config/index.ts';
import { exampleOf } from './examples.ts';
import { errorResponses } from './error-responses.ts';
import { rightsOf } from './rights.ts';
import { sharedSchemas, successResponses } from './success-response.ts';

const DESCRIPTION = `
The control plane for organizations whose work is done by software agents and owned by people. Owners use
\`/organizations…\`; agent runtimes use \`/internal/…\`, and the runs and
chat turns that they carry out use \`/internal/agent/…\`.

Every JSON answer wears an envelope: \`success\`, \`statusCode\`, \`message\`, \`data\` (lists: and \`pagination\`), \`meta\`.
Every error carries a stable \`error.code\`; a bad request lists its findings in \`error.issues\`. Ids are UUIDs, timestamps
ISO 8601 in UTC with microseconds. Beside the errors that an operation lists, any route may answer 405, 408, 413, 414,
415, 417, 429, 431, 500 and 503 in the same envelope.
`.trim();

/** The parts of an operation that this file fills in. */
interface Operation {
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

/**
 * Builds the OpenAPI 3.1 document of an application: schemas from its classes, all else from each route's `@Endpoint`.
 * Needs no database.
 */
export function buildDocument(app: NestFastifyApplication, serverUrl: string): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Business Runner')
    .setDescription(DESCRIPTION)
    .setVersion(VERSION)
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addServer(serverUrl)
    .addBearerAuth(
      {
        type: 'http',
        scheme: 'bearer',
        description:
          'An owner: a personal token `brt_…`, the deployment’s bootstrap token, or, where the deployment has an OpenID provider, a JWT of it (an ID token, or an access token for this service). Each operation names the scope that the token needs (`x-scope`) and the least role of its member (`x-role`): a `viewer` may what takes the scope `read`.',
      },
      SCHEMES.owner,
    )
    .addBearerAuth(
      { type: 'http', scheme: 'bearer', description: 'An agent runtime: a token from the deployment’s configuration.' },
      SCHEMES.service,
    )
    .addBearerAuth(
      {
        type: 'http',
        scheme: 'bearer',
        bearerFormat: 'JWT',
        description:
          'One run or chat turn: the token that the service signed for it, valid in its organization while the execution is alive.',
      },
      SCHEMES.execution,
    );
  const document = SwaggerModule.createDocument(app, builder.build(), {
    operationIdFactory: defaultOperationId,
  });
  const schemas = { ...document.components?.schemas, ...sharedSchemas() } as Record<string, object>;
  document.components = { ...document.components, schemas };
  const specs = endpointSpecs(app);
  for (const [path, item] of Object.entries(document.paths))
    for (const [method, operation] of Object.entries(item as Record<string, Operation>)) {
      const spec = specs.get(operation.operationId ?? '');
      if (spec) complete(operation, spec, { method, path, schemas });
    }
  return document;
}

function complete(
  operation: Operation,
  spec: EndpointSpec,
  at: { method: string; path: string; schemas: Record<string, object> },
): void {
  if (spec.operationId) operation.operationId = spec.operationId;
  operation.summary = spec.summary;
  const { extensions, sentence } = rightsOf(spec, at.path);
  Object.assign(operation, extensions);
  const description = [spec.description, sentence].filter((each) => each !== undefined).join('\n\n');
  if (description !== '') operation.description = description;
  operation.security = schemesOf(spec).map((scheme) => ({ [SCHEMES[scheme]]: [] }));
  if (spec.idempotencyKey)
    (operation.parameters ??= []).push(idempotencyKeyParameter(spec.idempotencyKey === 'required'));
  if (spec.bytes) (operation.parameters ??= []).push(...byteParameters);
  if (spec.events) (operation.parameters ??= []).push(...eventParameters(spec));
  declarePathParameters(operation, at.path);
  if (spec.raw) operation.requestBody = { ...rawBody };
  const bound = bodyBound(spec);
  if (operation.requestBody && bound !== undefined) operation.requestBody.description = bound;
  for (const media of Object.values(operation.requestBody?.content ?? {}))
    if (media.schema && !spec.raw) media.example = exampleOf(media.schema, at.schemas);
  operation.responses = { ...successesOf(spec, at), ...errorResponses(spec, at) };
}

/**
 * Declares path parameters that no class of the route declares, because the guard compares an execution's organization
 * with its token.
 */
function declarePathParameters(operation: Operation, path: string): void {
  const declared = new Set(operation.parameters?.filter((each) => each.in === 'path').map(({ name }) => name));
  const missing = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!).filter((name) => !declared.has(name));
  const schema = { type: 'string', format: 'uuid' };
  operation.parameters = [
    ...missing.map((name): Parameter => ({ name, in: 'path', required: true, schema })),
    ...(operation.parameters ?? []),
  ];
}

/** The limit of the whole body, stated because its fields together may allow more. */
function bodyBound({ raw, bodyLimitBytes = raw ? undefined : JSON_LIMIT_BYTES }: EndpointSpec): string | undefined {
  if (bodyLimitBytes === undefined) return undefined;
  const most = `At most ${bodyLimitBytes / 1024 / 1024} MiB`;
  return raw ? `${most}.` : `${most} of JSON in total, even where its fields together would allow more.`;
}

function successesOf(
  spec: EndpointSpec,
  { method, schemas }: { method: string; schemas: Record<string, object> },
): Record<string, object> {
  if (spec.bytes) return byteResponses(spec, method);
  if (spec.text) return textResponses(spec);
  return spec.events ? eventResponses(spec, schemas) : successResponses(spec, method, schemas);
}

function textResponses({ status, message, text: { type, example } }: Extract<EndpointSpec, { text: object }>) {
  const [mediaType] = type.split('; charset=');
  const content = { [mediaType!]: { schema: { type: 'string' }, example } };
  return { [status ?? 200]: { description: message ?? 'Success', content } };
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

/**
 * Specs of all handlers by their default id. Throws for two operations with one id, which would share document and
 * serialiser.
 */
function endpointSpecs(app: INestApplicationContext): Map<string, EndpointSpec> {
  const specs = new Map<string, EndpointSpec>();
  const ids = new Set<string>();
  const scanner = new MetadataScanner();
  for (const module of app.get(ModulesContainer).values())
    for (const { metatype } of module.controllers.values()) {
      const prototype = (metatype as { prototype: Record<string, object> }).prototype;
      for (const key of scanner.getAllMethodNames(prototype)) {
        const handler = prototype[key] as { name: string };
        const spec = endpointOf(handler);
        if (!spec) continue;
        const controller = metatype as { name: string };
        const id = operationIdOf(controller, handler);
        if (ids.has(id)) throw new Error(`Two handlers have the operation id "${id}"; set operationId on one.`);
        ids.add(id);
        specs.set(defaultOperationId(controller.name, key), spec);
      }
    }
  return specs;
}
