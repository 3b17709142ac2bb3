import { once } from 'node:events';
import { createServer, request, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { Body, Query } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { EntityManager } from '@mikro-orm/postgresql';
import pg from 'pg';

/**
 * What the service relies on of libraries and does not find in their documents, so that an upgrade that changes it is
 * noticed by name. Of `cron` that `CronTime.getTimeout` decides when a job ticks, `job-runner.test.ts` says; how
 * class-validator names what it finds, `validation.pipe.test.ts`; that swagger resolves functions called `type` later,
 * `openapi.test.ts`.
 */
describe('pg', () => {
  const client = new pg.Client() as unknown as Record<string, unknown>;
  const connection = client.connection as Record<string, unknown>;

  it('has the socket of a client where connections destroy it', () => {
    expect(connection.stream).toMatchObject({ destroy: expect.any(Function), write: expect.any(Function) });
  });

  it('tells which backend serves a client, which entities hand on', () => {
    expect(client).toHaveProperty('processID');
  });

  it('has the messages, and the names of prepared statements, that batches are made of', () => {
    for (const message of ['parse', 'bind', 'describe', 'execute', 'sync', '_send'])
      expect([message, typeof connection[message]]).toEqual([message, 'function']);
    expect(connection).toMatchObject({ parsedStatements: {}, submittedNamedStatements: {} });
  });

  it('writes values as texts in a function of its own', () => {
    const { utils } = pg as unknown as { utils: { prepareValue(value: unknown): unknown } };
    expect([5, ['a', null], { a: 1 }].map((value) => utils.prepareValue(value))).toEqual([
      '5',
      '{"a",NULL}',
      '{"a":1}',
    ]);
  });
});

describe('MikroORM', () => {
  it('takes the transaction that its statements run in', () => {
    expect(typeof EntityManager.prototype.setTransactionContext).toBe('function');
  });
});

describe('Nest', () => {
  it('notes under kind and index what a handler looks at', () => {
    class Controller {
      handle(_query: unknown, _body: unknown): void {}
    }
    Query()(Controller.prototype, 'handle', 0);
    Body()(Controller.prototype, 'handle', 1);
    const noted = Reflect.getMetadata(ROUTE_ARGS_METADATA, Controller, 'handle') as object;
    expect(Object.keys(noted).sort()).toEqual([`${RouteParamtypes.BODY}:1`, `${RouteParamtypes.QUERY}:0`]);
  });

  it('makes a context of a request and its reply, for guards that are asked before Nest is', () => {
    const [call, reply] = [{}, {}];
    const http = new ExecutionContextHost([call, reply]).switchToHttp();
    expect([http.getRequest() === call, http.getResponse() === reply]).toEqual([true, true]);
  });
});

describe('Node', () => {
  it('keeps the answer in progress at its socket', async () => {
    const seen = Promise.withResolvers<unknown[]>();
    const server = createServer(({ socket }, response) => {
      const kept = socket as Socket & { _httpMessage?: ServerResponse | null };
      const during = kept._httpMessage === response;
      response.end(() => setImmediate(() => seen.resolve([during, kept._httpMessage ?? null])));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    request({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' }).end();
    expect(await seen.promise).toEqual([true, null]);
    server.close().closeAllConnections();
  });
});
