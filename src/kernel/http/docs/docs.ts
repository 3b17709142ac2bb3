import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { contentSecurityPolicy, PAGE, SCRIPT } from './page.ts';

/** Where the build puts Scalar's script: beside itself. Sources that run without it use that of the last build. */
const ASSETS = ['../../../../assets/', '../../../../dist/assets/']
  .map((folder) => fileURLToPath(new URL(folder, import.meta.url)))
  .find((folder) => existsSync(folder));

/**
 * Serves the document at `/docs-json`, Scalar's page at `/docs` and Swagger's at `/docs/swagger`. Scalar's script is
 * streamed from its file, so that it takes no memory.
 */
export function serveDocs(app: NestFastifyApplication, document: () => OpenAPIObject): void {
  SwaggerModule.setup('docs/swagger', app, document, {
    jsonDocumentUrl: 'docs-json',
    raw: ['json'],
    // Not the validator of another host, which gets the document's address.
    swaggerOptions: { validatorUrl: null },
  });
  if (ASSETS)
    app.useStaticAssets({ root: ASSETS, prefix: '/docs/', wildcard: false, index: false, preCompressed: true });
  const fastify = app.getHttpAdapter().getInstance();
  fastify.get('/docs', (_request: FastifyRequest, reply: FastifyReply) =>
    reply.type('text/html; charset=utf-8').header('content-security-policy', contentSecurityPolicy).send(PAGE),
  );
  fastify.get('/docs/page.js', (_request: FastifyRequest, reply: FastifyReply) =>
    reply.type('text/javascript; charset=utf-8').send(SCRIPT),
  );
}
