import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Body, Controller, Get, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { ApiProperty } from '@nestjs/swagger';
import { AppModule } from '../../../src/app.module.ts';
import { Config } from '../../../src/config/index.ts';
import { Capabilities, type ExecutionClaims, Gateway, type GatewayPrincipal } from '../../../src/kernel/auth/index.ts';
import { ApiError, EdgeErrors, EdgeIssues, invalid } from '../../../src/kernel/errors/index.ts';
import {
  Accepted,
  buildDocument,
  createAdapter,
  Draining,
  Endpoint,
  type JsonRpcAnswer,
  type Page,
  ResponseSerializers,
} from '../../../src/kernel/http/index.ts';
import { Text } from '../../../src/kernel/validation/index.ts';
import { Client } from '../../support/client.ts';
import { SERVICE_TOKEN, TestApp } from '../../support/test-app.ts';

class ProbeDocument {
  @ApiProperty({ example: 'https://runner.example.com/oauth/client-metadata.json' })
  client_id!: string;
}

class ProbeForm {
  @Text({ description: 'What the page sends back', max: 100 })
  readonly token!: string;
}

const page = {
  message: 'How it ended',
  ofError: ({ status, requestId }: { status: number; requestId: string }) => `<p>${status} ${requestId}</p>`,
};
const jsonRpc = {
  request: { jsonrpc: '2.0', id: 1, method: 'ping' },
  response: { jsonrpc: '2.0', id: 1, result: {} },
};

@Controller('bare')
class BareController {
  @Get('page')
  @Endpoint({ summary: 'Page', auth: 'public', page })
  page(): Page {
    return { status: 200, html: '<p>connected</p>', cookie: 'a=; Path=/oauth', leadsTo: 'https://app.example.com' };
  }

  @Get('away')
  @Endpoint({ summary: 'Away', auth: 'public', page })
  away(): Page {
    return { status: 302, location: 'https://app.example.com/?outcome=connected' };
  }

  @Get('no-page')
  @Endpoint({ summary: 'No page', auth: 'public', page, errors: [EdgeErrors.validationFailed] })
  noPage(): Page {
    throw invalid('state', EdgeIssues.required);
  }

  @Post('form')
  @Endpoint({ summary: 'Form', auth: 'public', page, form: true, errors: [EdgeErrors.validationFailed] })
  form(@Body() { token }: ProbeForm): Page {
    return { status: 400, html: `<p>${token}</p>` };
  }

  @Get('document')
  @Endpoint({ summary: 'Document', auth: 'public', document: { type: ProbeDocument, maxAgeSeconds: 3_600 } })
  document(): ProbeDocument & { secret: string } {
    return { client_id: 'https://runner.example.com', secret: 'stays here' };
  }

  @Post('integrations/:integrationId/rpc')
  @Endpoint({ summary: 'RPC', auth: 'gateway', jsonRpc, errors: [EdgeErrors.stateConflict] })
  rpc(@Gateway() gateway: GatewayPrincipal, @Body() message: Record<string, unknown>): JsonRpcAnswer {
    if (message.method === 'conflict') throw new ApiError(EdgeErrors.stateConflict);
    if (!('id' in message)) return { status: 202 };
    return { status: 200, body: { jsonrpc: '2.0', id: message.id, result: gateway } };
  }

  @Post('integrations/:integrationId/writes')
  @Endpoint({
    summary: 'Write',
    auth: 'gateway',
    execution: { kinds: ['chat_turn'] },
    returns: ProbeDocument,
    message: 'Done',
    accepted: 'Waits',
  })
  write(@Body() body: Record<string, unknown>): unknown {
    const data = { client_id: 'x' };
    return body.wait === true ? new Accepted(data) : data;
  }
}

let app: TestApp;
let probe: NestFastifyApplication;
const integrationId = randomUUID();
const execution: ExecutionClaims = {
  organizationId: randomUUID(),
  agentProfileId: randomUUID(),
  profileKey: 'growth',
  profileKind: 'department',
  department: 'growth',
  execution: 'task_run',
  executionId: randomUUID(),
  mode: 'execute',
  generation: 1,
  expiresAt: '9999-12-31T23:59:59.000000Z',
};
const client = (token?: string) => new Client({ app: probe }, token);
const capability = (claims: Partial<ExecutionClaims> = {}) =>
  probe.get(Capabilities).issueGateway({
    execution: { ...execution, ...claims },
    integrationId,
    authorizationEpoch: 3,
    access: 'read',
  });
const RPC = `/bare/integrations/${integrationId}/rpc`;

beforeAll(async () => {
  app = await TestApp.start();
  const draining = new Draining();
  class Probe {}
  probe = await NestFactory.create<NestFastifyApplication>(
    {
      module: Probe,
      imports: [AppModule.register(app.app.get(Config), draining)],
      controllers: [BareController],
    },
    createAdapter({ draining }),
    { bodyParser: false, logger: false, abortOnError: false },
  );
  probe.get(ResponseSerializers).use(() => buildDocument(probe, 'http://127.0.0.1'));
  await probe.init();
  await probe.getHttpAdapter().getInstance().ready();
});
afterAll(async () => {
  await probe.close();
  await app.close();
});

describe('a page', () => {
  it('is HTML that runs, loads and keeps nothing', async () => {
    const { status, headers, text } = await client().get('/bare/page');
    expect([status, text]).toEqual([200, '<p>connected</p>']);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'set-cookie': 'a=; Path=/oauth',
      'content-security-policy':
        "default-src 'none'; form-action 'self' https://app.example.com; frame-ancestors 'none'; base-uri 'none'",
    });
  });

  it('sends elsewhere with an empty answer', async () => {
    const { status, headers, text } = await client().get('/bare/away');
    expect([status, headers.location, text]).toEqual([302, 'https://app.example.com/?outcome=connected', '']);
    expect(headers['cache-control']).toBe('no-store');
  });

  it('is an error too for a person, and the envelope for programs', async () => {
    const shown = await client().get('/bare/no-page', { accept: 'text/html,*/*', 'x-request-id': 'r-1' });
    expect([shown.status, shown.text]).toEqual([400, '<p>400 r-1</p>']);
    expect(shown.headers['content-security-policy']).toContain("default-src 'none'");
    const { status, body } = await client().get('/bare/no-page');
    expect([status, body.error.code]).toEqual([400, 'validation_failed']);
  });
});

describe('a form', () => {
  const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

  it('is read where a route takes one, and validated as any body', async () => {
    const { status, text } = await client().post('/bare/form', 'token=a%20b', FORM);
    expect([status, text]).toEqual([400, '<p>a b</p>']);
    for (const body of ['', 'other=1', 'token=a&token=b', 'token=%ff']) {
      const refused = await client().post('/bare/form', body, FORM);
      expect([body, refused.status, refused.body.error.code]).toEqual([body, 400, 'validation_failed']);
    }
    expect((await client().post('/bare/form', `token=${'a'.repeat(9_000)}`, FORM)).status).toBe(413);
  });

  it('is the only thing such a route takes, and no other route takes one', async () => {
    for (const type of ['application/json', 'multipart/form-data; boundary=x', 'application/octet-stream'])
      expect((await client().post('/bare/form', '{}', { 'content-type': type })).status).toBe(415);
    expect((await client(capability()).post(RPC, 'id=1', FORM)).status).toBe(415);
    expect((await client(SERVICE_TOKEN).post('/internal/run-requests/claim', 'workerId=w', FORM)).status).toBe(415);
  });
});

describe('a document', () => {
  it('is bare, holds what it declares, and may be kept', async () => {
    const { headers, body } = await client().get('/bare/document');
    expect(body).toEqual({ client_id: 'https://runner.example.com' });
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'public, max-age=3600',
    });
  });
});

describe('JSON-RPC', () => {
  it('answers a message, and nothing to a notification', async () => {
    const { status, body } = await client(capability()).post(RPC, { jsonrpc: '2.0', id: 'a', method: 'x' });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: 'a',
      result: { kind: 'gateway', integrationId, authorizationEpoch: 3, access: 'read', execution: { scope: null } },
    });
    const notified = await client(capability()).post(RPC, { jsonrpc: '2.0', method: 'x' });
    expect([notified.status, notified.text]).toEqual([202, '']);
  });

  it('refuses in its own form with the status of the refusal', async () => {
    const refused = async (answer: ReturnType<Client['post']>, ...expected: unknown[]) => {
      const { status, body } = await answer;
      const { id, error } = body as { id: unknown; error: { code: number; data: { code: string } } };
      expect([status, id, error.code, error.data.code]).toEqual(expected);
    };
    const call = { jsonrpc: '2.0', id: 7, method: 'conflict' };
    await refused(client(capability()).post(RPC, call), 409, 7, -32000, 'state_conflict');
    await refused(client().post(RPC, call), 401, null, -32000, 'owner_unauthorized');
    await refused(client(capability()).post(RPC, '{"id":'), 400, null, -32700, 'validation_failed');
    await refused(client(capability()).post(`${RPC}?x=1`, call), 400, 7, -32600, 'validation_failed');
    const type = { 'content-type': 'text/plain' };
    await refused(client(capability()).post(RPC, '{}', type), 415, null, -32000, 'unsupported_media_type');
    const long = JSON.stringify({ text: 'a'.repeat(1_048_576) });
    await refused(client(capability()).post(RPC, long), 413, null, -32000, 'payload_too_large');
  });
});

describe('a capability for an integration', () => {
  it('is good at its integration only, however that is spelled', async () => {
    const at = (id: string) =>
      client(capability()).post(`/bare/integrations/${id}/rpc`, { jsonrpc: '2.0', id: 1, method: 'x' });
    expect((await at(integrationId.toUpperCase())).status).toBe(200);
    const elsewhere = await at(randomUUID());
    expect([elsewhere.status, elsewhere.body.error.data.issues[0].code]).toEqual([401, 'unknown_token']);
  });

  it('opens no other route, and no other token opens its own', async () => {
    const owner = await client(capability()).get('/organizations');
    expect([owner.status, owner.body.error.issues[0].code]).toEqual([401, 'wrong_kind']);
    const executions = probe.get(Capabilities).issue(execution);
    const manifest = `/internal/agent/organizations/${execution.organizationId}/execution`;
    expect((await client(capability()).get(manifest)).status).toBe(401);
    for (const token of [executions, SERVICE_TOKEN, 'forged', undefined])
      expect((await client(token).post(RPC, { jsonrpc: '2.0', id: 1, method: 'x' })).status).toBe(401);
  });

  it('is refused where the route takes executions of another kind', async () => {
    const path = `/bare/integrations/${integrationId}/writes`;
    expect((await client(capability()).post(path, {})).status).toBe(401);
    const turn = capability({ execution: 'chat_turn', profileKind: 'chat', mode: null });
    const done = await client(turn).post(path, {});
    expect([done.status, done.body]).toMatchObject([
      200,
      { statusCode: 200, message: 'Done', data: { client_id: 'x' } },
    ]);
    const waits = await client(turn).post(path, { wait: true });
    expect([waits.status, waits.body]).toMatchObject([202, { statusCode: 202, message: 'Waits' }]);
  });
});

describe('the OpenAPI document', () => {
  it('shows each of them as it is', () => {
    const { paths } = buildDocument(probe, 'http://127.0.0.1');
    const contents = (path: string, method: 'get' | 'post') => {
      const { responses, requestBody } = paths[path]![method]!;
      const types = Object.entries(responses as Record<string, { content?: object }>).map(
        ([status, { content = {} }]) => [status, Object.keys(content).join()] as const,
      );
      return [Object.keys((requestBody as { content?: object })?.content ?? {}).join(), Object.fromEntries(types)];
    };
    expect(contents('/bare/page', 'get')).toEqual(['', { 200: 'text/html', 302: '' }]);
    expect(contents('/bare/form', 'post')).toEqual([
      'application/x-www-form-urlencoded',
      { 200: 'text/html', 303: '', 400: 'application/json,text/html' },
    ]);
    expect(contents('/bare/document', 'get')).toEqual(['', { 200: 'application/json' }]);
    const [, rpc] = contents('/bare/integrations/{integrationId}/rpc', 'post');
    expect(Object.keys(rpc as object)).toEqual(['200', '202', '400', '401', '409']);
    const { post } = paths['/bare/integrations/{integrationId}/writes']!;
    expect(post!.security).toEqual([{ integrationGatewayCapability: [] }]);
    expect(Object.keys(post!.responses)).toEqual(['200', '202', '400', '401', '409']);
  });
});
