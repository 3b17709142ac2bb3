import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import type pino from 'pino';
import { AppModule } from './app.module.ts';
import type { Config } from './config/index.ts';
import {
  admitInTurn,
  buildDocument,
  createAdapter,
  Draining,
  logRequests,
  requireEndpoints,
  ResponseSerializers,
  serveDocs,
} from './kernel/http/index.ts';
import { NestLogger } from './kernel/logging/index.ts';
import { Tracing } from './kernel/tracing/index.ts';

/** Makes the application as production and tests run it, without touching a database. */
export async function createApp(config: Config, logger: pino.Logger): Promise<NestFastifyApplication> {
  const draining = new Draining();
  const tracing = await Tracing.of(config);
  const adapter = createAdapter({
    logger,
    trustProxy: config.trustProxy,
    corsAllowedOrigins: config.corsAllowedOrigins,
    draining,
    tracer: tracing.tracer,
  });
  requireEndpoints(adapter.getInstance());
  logRequests(adapter.getInstance());
  admitInTurn(adapter.getInstance());
  const app = await NestFactory.create<NestFastifyApplication>(AppModule.register(config, draining, tracing), adapter, {
    bodyParser: false,
    logger: new NestLogger(logger),
    abortOnError: false,
  });
  const document = () => documentOnce(app, config.publicBaseUrl ?? '/');
  app.get(ResponseSerializers).use(document);
  if (config.docs) serveDocs(app, document);
  return app;
}

/** By the address in it, which is all that differs between applications of one process. */
const documents = new Map<string, OpenAPIObject>();

/** Builds the document at its first use: it takes 280 ms in a new process, and 70 ms in one that has built it before. */
function documentOnce(app: NestFastifyApplication, serverUrl: string): OpenAPIObject {
  const document = documents.get(serverUrl) ?? buildDocument(app, serverUrl);
  documents.set(serverUrl, document);
  return document;
}
