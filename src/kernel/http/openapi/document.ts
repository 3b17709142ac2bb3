import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { VERSION } from '../../../config/index.ts';
import { jsonRpcSchemas } from '../json-rpc/index.ts';
import { definedUnions } from './defined-kinds.ts';
import { endpointSpecs, handlerKey } from './endpoint-specs.ts';
import { withoutMarks } from './field-issues.ts';
import { GUIDE } from './guide.ts';
import { splitByKind } from './kinds.ts';
import { completeOperation, type Operation } from './operation.ts';
import { withPlainReferences } from './plain-references.ts';
import { withPublicNames, withPublicReferences } from './schema-names.ts';
import { SECURITY_SCHEMES } from './security-schemes.ts';
import { shareResponses } from './shared-responses.ts';
import { sharedSchemas } from './shared-schemas.ts';
import { TAG_GROUPS, TAGS } from './tags.ts';

/**
 * Builds the OpenAPI 3.1 document of an application: schemas from its classes, all else from each route's `@Endpoint`.
 * Needs no database.
 */
export function buildDocument(app: NestFastifyApplication, serverUrl: string): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Business Runner')
    .setDescription(GUIDE)
    .setVersion(VERSION)
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addServer(serverUrl);
  for (const { name, scheme } of SECURITY_SCHEMES) builder.addBearerAuth(scheme, name);
  const made = SwaggerModule.createDocument(app, builder.build(), { operationIdFactory: handlerKey });
  const document = withPlainReferences(withPublicReferences(made));
  const specs = endpointSpecs(app);
  const takesJsonRpc = [...specs.values()].some(({ spec }) => spec.jsonRpc);
  const shared = { ...sharedSchemas(), ...(takesJsonRpc ? jsonRpcSchemas() : {}) };
  const classes = { ...document.components?.schemas, ...shared, ...definedUnions(document) };
  const schemas = splitByKind(withPublicNames(classes));
  const paths = document.paths as unknown as Record<string, Record<string, Operation>>;
  for (const [path, item] of Object.entries(paths))
    for (const [method, operation] of Object.entries(item)) {
      const declared = specs.get(operation.operationId ?? '');
      if (declared) completeOperation(operation, declared, { method, path, schemas });
    }
  const components = { ...document.components, schemas, responses: shareResponses(paths) };
  return withoutMarks({ ...document, tags: TAGS, 'x-tagGroups': TAG_GROUPS, components } as OpenAPIObject);
}
