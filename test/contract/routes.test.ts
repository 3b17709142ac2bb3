import { afterAll, describe, expect, it, jest } from '@jest/globals';
import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { SCHEMES, schemesOf } from '../../src/kernel/http/endpoint/index.ts';
import {
  buildDocument,
  createAdapter,
  Endpoint,
  type EndpointSpec,
  requireEndpoints,
} from '../../src/kernel/http/index.ts';
import { TestApp } from '../support/test-app.ts';
import { Estate } from './estate.ts';
import { documentOf, operationsOf } from './operations.ts';

/** Whoever opens a route to everybody says so here. */
/** Ask a provider what there is to choose from, for connectors of their own kind. */
const ASKS = /^GET .*\/integrations\/\{integrationRef\}\/(?:resources|web-analytics\/properties)$/;
const PUBLIC = [
  'GET /health/live',
  'GET /health/ready',
  'GET /oauth/client-metadata.json',
  'GET /oauth/mcp/callback',
  'GET /oauth/workspace/callback',
  'HEAD /health/live',
  'HEAD /health/ready',
  'POST /oauth/mcp/callback',
  'POST /oauth/workspace/callback',
];

interface Route {
  readonly name: string;
  readonly spec: EndpointSpec | undefined;
}

const registered: Route[] = [];
listenIn();
const app = await TestApp.start();
afterAll(() => app.close());
const routes = registered.filter(({ name }) => !/^(GET|HEAD) \/docs(-json|-yaml)?(\/|$)/.test(name));
const operations = operationsOf(await documentOf(app));
const estate = await Estate.make(app, operations);

describe('the routes that Fastify knows', () => {
  it('are the operations of the document', () => {
    expect(routes.length).toBeGreaterThan(0);
    expect(routes.map(({ name }) => name).sort()).toEqual(operations.map(({ name }) => name).sort());
  });

  it('are open to everybody only where this file says so', () => {
    expect(routes.flatMap(({ name, spec }) => (spec?.auth === 'public' ? [name] : [])).sort()).toEqual(PUBLIC);
  });

  it('have operation ids of their own', () => {
    const ids = operations.map(({ described }) => described.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe.each(routes.map((route) => [route.name, route] as const))('%s', (name, { spec }) => {
  const operation = operations.find((each) => each.name === name)!;

  it('has an endpoint spec, and the document shows who may call it', () => {
    expect(spec).toBeDefined();
    expect(operation.schemes).toEqual(schemesOf(spec!).map((scheme) => SCHEMES[scheme]));
  });

  it('decides who calls before anything else', async () => {
    const { status, headers, body } = await operation.send(app.anonymous, estate.pathOf(operation));
    if (spec!.auth === 'public') return expect(status).not.toBe(401);
    expect({ status, authenticate: headers['www-authenticate'] }).toEqual({ status: 401, authenticate: 'Bearer' });
    if (!operation.hasAnswerBody) return;
    if (!operation.isJsonRpc) expect(body.success).toBe(false);
    expect(operation.errorIn({ body }).code).toBe(
      /^\/(internal|workers)\b/.test(operation.path) ? 'agent_unauthorized' : 'owner_unauthorized',
    );
  });

  if (spec!.bytes)
    it('answers with a file', async () => {
      const { status, headers, text } = await operation.send(estate.callerOf(operation), estate.pathOf(operation));
      expect(status).toBe(200);
      expect(headers).toMatchObject({
        etag: expect.stringMatching(/^"[0-9a-f]{64}"$/),
        'accept-ranges': 'bytes',
        'content-disposition': expect.stringMatching(/^attachment; /),
        'x-content-type-options': 'nosniff',
      });
      if (operation.hasAnswerBody) expect(Number(headers['content-length'])).toBe(Buffer.byteLength(text));
    });
  else if (spec!.picture)
    it('answers with a picture that is shown in place', async () => {
      const { status, headers } = await operation.send(estate.callerOf(operation), estate.pathOf(operation));
      expect(status).toBe(200);
      expect(headers).toMatchObject({
        etag: expect.stringMatching(/^"[0-9a-f]{64}"$/),
        'content-type': 'image/svg+xml; charset=utf-8',
        'content-disposition': 'inline',
        'x-content-type-options': 'nosniff',
      });
    });
  else if (spec!.events)
    it('answers with a stream of events', async () => {
      const { status, headers, text } = await operation.send(estate.callerOf(operation), estate.pathOf(operation));
      expect([status, headers['content-type'], headers['cache-control']]).toEqual([
        200,
        'text/event-stream',
        'no-store, no-transform',
      ]);
      expect(text).toMatch(/^retry: \d+\n\n/);
    });
  else if (spec!.text)
    it('answers with text as its example shows it', async () => {
      const { status, headers, text } = await operation.send(estate.callerOf(operation), estate.pathOf(operation));
      expect([status, headers['content-type']]).toEqual([200, spec!.text.type]);
      const [heads] = spec!.text.example.split(/^(?!#)/m);
      expect(text).toContain(heads);
    });
  else if (spec!.page)
    it('answers with a page, of a refusal too', async () => {
      const { status, headers, text } = await operation.send(
        estate.callerOf(operation),
        estate.pathOf(operation),
        undefined,
        { accept: 'text/html' },
      );
      expect([status, headers['content-type']]).toEqual([
        name.startsWith('GET ') ? 400 : expect.any(Number),
        'text/html; charset=utf-8',
      ]);
      expect(text).toMatch(/^<!doctype html>/);
    });
  else if (spec!.stream)
    it('refuses in one line of text', async () => {
      const { status, headers, text } = await operation.send(estate.callerOf(operation), estate.pathOf(operation));
      expect([status >= 400, headers['content-type']]).toEqual([true, 'text/plain; charset=utf-8']);
      expect(text).toMatch(/^[^\n]+\n$/);
    });
  else if (ASKS.test(name))
    it('refuses to ask for connectors of another kind', async () => {
      const { status, body } = await operation.send(estate.callerOf(operation), estate.pathOf(operation));
      expect([status, body.error.issues[0].code]).toEqual([409, 'not_supported']);
    });
  else if (name.startsWith('GET ') && !spec!.document)
    it('answers in the envelope', async () => {
      const { status, headers, body } = await operation.send(estate.callerOf(operation), estate.pathOf(operation));
      expect(status).toBe(spec!.status ?? 200);
      expect(headers['content-type']).toBe('application/json; charset=utf-8');
      expect(body).toEqual({
        success: true,
        statusCode: status,
        message: spec!.message ?? 'OK',
        data: spec!.list || spec!.array ? expect.any(Array) : expect.any(Object),
        ...(spec!.list
          ? {
              pagination: expect.objectContaining({
                limit: name.endsWith('/integrations') ? 20 : 50,
                hasPreviousPage: false,
              }),
            }
          : {}),
        meta: {
          timestamp: expect.any(String),
          requestId: headers['x-request-id'],
          ...(spec!.restates ? { restatedAt: null } : {}),
        },
      });
    });
});

describe('the start fails', () => {
  class Shape {}
  const spec: EndpointSpec = { summary: 'Probe', auth: 'public', returns: Shape };

  @Controller('undeclared')
  class UndeclaredController {
    @Get()
    read() {}
  }

  function controllerNamedThings(path: string, as = spec) {
    @Controller(path)
    class ThingsController {
      @Get()
      @Endpoint(as)
      list() {}
    }
    return ThingsController;
  }

  it('for a controller without @Endpoint', async () => {
    await expect(start([UndeclaredController])).rejects.toThrow(
      'GET /undeclared has no @Endpoint; declare one on its handler.',
    );
  });

  it.each<[string, EndpointSpec['auth']]>([
    ['owners', 'owner'],
    ['owners and others', ['execution', 'owner']],
  ])('for a route for %s that names no scope', async (_whom, auth) => {
    await expect(start([controllerNamedThings('a', { ...spec, auth })])).rejects.toThrow(
      'GET /a lets owners in; name the scope that it takes in its @Endpoint.',
    );
  });

  it('for two handlers with one operation id', async () => {
    const probe = await start([controllerNamedThings('a'), controllerNamedThings('b')]);
    expect(() => buildDocument(probe, 'http://localhost')).toThrow(
      'Two handlers have the operation id "things.list"; set operationId on one.',
    );
    await probe.close();
  });
});

async function start(controllers: (new () => object)[]): Promise<NestFastifyApplication> {
  @Module({ controllers })
  class ProbeModule {}
  const adapter = createAdapter();
  requireEndpoints(adapter.getInstance());
  const options = { bodyParser: false, logger: false, abortOnError: false } as const;
  const probe = await NestFactory.create<NestFastifyApplication>(ProbeModule, adapter, options);
  return probe.init();
}

/** Fastify keeps no list of its routes: whatever is registered from here on is noted down. */
function listenIn(): void {
  const spy = jest.spyOn(FastifyAdapter.prototype, 'getInstance').mockImplementation(function (this: FastifyAdapter) {
    spy.mockRestore();
    const fastify = this.getInstance<FastifyInstance>();
    fastify.addHook('onRoute', ({ method, url, config }) => {
      const path = url.replaceAll(/:(\w+)/g, '{$1}');
      for (const each of [method].flat()) registered.push({ name: `${each} ${path}`, spec: config?.endpoint });
    });
    return fastify;
  });
}
