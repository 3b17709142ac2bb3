import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import {
  Body,
  ConflictException,
  Controller,
  Delete,
  ForbiddenException,
  Get,
  Head,
  Header,
  Module,
  Param,
  Post,
  Put,
  Res,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type NestFastifyApplication, RouteConfig } from '@nestjs/platform-fastify';
import { closeWithin, createAdapter, Draining, type EdgeOptions } from '../../../src/kernel/http/edge/index.ts';
import { Endpoint, type EndpointSpec } from '../../../src/kernel/http/endpoint.ts';
import { ErrorFilter } from '../../../src/kernel/http/error.filter.ts';

const spec = (auth: EndpointSpec['auth']): EndpointSpec => ({ summary: 'Probe', auth, returns: Object });
const token = { authorization: 'Bearer brt_good' };

/** Holds the requests of `GET /slow` until it is opened. */
class Gate {
  readonly arrived = Promise.withResolvers<void>();
  readonly opened = Promise.withResolvers<void>();
}
let gate = new Gate();

@Controller()
class ProbeController {
  @Get('things/:id')
  @Endpoint(spec('public'))
  thing(@Param('id') id: string) {
    return { id };
  }

  @Delete('things/:id')
  @Endpoint(spec('public'))
  remove(@Param('id') id: string, @Body() body: unknown) {
    return { id, body };
  }

  @Head('headed')
  @Endpoint(spec('public'))
  head() {}

  @Post('echo')
  @Endpoint(spec('owner'))
  echo(@Body() body: unknown) {
    return { body };
  }

  @Get('runs')
  @Endpoint(spec(['owner', 'service']))
  runs() {
    return {};
  }

  @Post('family')
  @Endpoint({ ...spec('public'), family: 'request_failed' })
  family() {
    throw new ConflictException('a sentence of a library');
  }

  @Put('raw')
  @RouteConfig({ endpoint: { ...spec('public'), raw: true } })
  async raw(@Body() stream: AsyncIterable<Buffer>) {
    let bytes = 0;
    for await (const chunk of stream) bytes += chunk.length;
    return { bytes };
  }

  @Put('progress')
  @RouteConfig({ endpoint: { ...spec('public'), raw: true } })
  progress(@Body() body: Readable) {
    return Readable.from(
      (async function* () {
        yield 'started';
        yield* body;
      })(),
    );
  }

  @Get('slow')
  @Endpoint(spec('public'))
  async slow() {
    gate.arrived.resolve();
    await gate.opened.promise;
    return { slow: true };
  }

  @Get('cached')
  @Header('Cache-Control', 'private, max-age=5')
  @Endpoint(spec('public'))
  cached() {
    return {};
  }

  @Get('bytes')
  @Header('Content-Type', 'image/png')
  @Endpoint(spec('public'))
  bytes() {
    return Buffer.from('png');
  }

  @Get('broken')
  @Endpoint(spec('public'))
  broken(@Res({ passthrough: true }) reply: { header(name: string, value: string): void }) {
    reply.header('content-type', 'image/png');
    reply.header('content-length', '3');
    reply.header('content-disposition', 'attachment');
    throw new Error('the password is hunter2');
  }

  @Get('forbidden')
  @Endpoint(spec('owner'))
  forbidden() {
    throw new ForbiddenException();
  }
}

@Module({ controllers: [ProbeController] })
class ProbeModule {}

const logged = jest.fn();
const silent = () => {};
const logger = { log: silent, warn: silent, error: logged };

async function start(options: EdgeOptions = {}): Promise<NestFastifyApplication> {
  const adapter = createAdapter(options);
  const app = await NestFactory.create<NestFastifyApplication>(ProbeModule, adapter, { bodyParser: false, logger });
  app.useGlobalFilters(new ErrorFilter());
  await app.listen(0, '127.0.0.1');
  return app;
}

const portOf = (app: NestFastifyApplication) => (app.getHttpServer().address() as AddressInfo).port;

let app: NestFastifyApplication;
beforeAll(async () => {
  app = await start();
});
afterAll(() => app.close());

interface Answer {
  readonly statusCode: number;
  readonly headers: Record<string, unknown>;
  readonly body: string;
}

/** Sends bytes and reads everything that comes until the server closes the connection. */
async function exchange(bytes: string, to = app): Promise<Answer> {
  const socket = connect(portOf(to), '127.0.0.1');
  socket.write(bytes);
  return parse(await text(socket));
}

function parse(raw: string): Answer {
  const [head = '', ...rest] = raw.split('\r\n\r\n');
  const [first = '', ...lines] = head.split('\r\n');
  const headers = lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.split(': ')[1]]);
  return {
    statusCode: Number(first.split(' ')[1]),
    headers: Object.fromEntries(headers) as Record<string, unknown>,
    body: rest.join('\r\n\r\n'),
  };
}

/** That an answer is an error in the envelope with everything that belongs to it. */
function expectError(answer: Answer, status: number, code: string, issue?: string): void {
  expect(answer.statusCode).toBe(status);
  expect(JSON.parse(answer.body)).toEqual({
    success: false,
    statusCode: status,
    message: expect.any(String),
    error: issue ? { code, issues: [expect.objectContaining({ code: issue })] } : { code },
    meta: expect.objectContaining({ timestamp: expect.stringMatching(/Z$/) }),
  });
  expect(answer.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  });
}

const post = (payload: string | Buffer, headers: Record<string, string> = {}) =>
  app.inject({
    method: 'POST',
    url: '/echo',
    headers: { ...token, 'content-type': 'application/json', ...headers },
    payload,
  });

const put = (payload: string | Buffer, headers: Record<string, string>) =>
  app.inject({ method: 'PUT', url: '/raw', headers, payload });

describe('routes', () => {
  it('404 route_not_found for a path that no method has', async () => {
    expectError(await app.inject('/nowhere'), 404, 'route_not_found');
    expectError(await app.inject({ method: 'POST', url: '/nowhere', payload: { a: 1 } }), 404, 'route_not_found');
  });

  it.each([
    ['PATCH', '/things/1?x=1', 'DELETE, GET'],
    ['OPTIONS', '/things/1', 'DELETE, GET'],
    ['GET', '/echo', 'POST'],
    ['GET', '/headed', 'HEAD'],
    ['PROPFIND', '/things/1', 'DELETE, GET'],
  ] as const)('405 with Allow for %s %s', async (method, url, allow) => {
    const answer = await exchange(`${method} ${url} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    expectError(answer, 405, 'method_not_allowed');
    expect(answer.headers.allow).toBe(allow);
  });

  it('HEAD only where it is declared', async () => {
    expect((await app.inject({ method: 'HEAD', url: '/headed' })).statusCode).toBe(200);
    const answer = await app.inject({ method: 'HEAD', url: '/things/1' });
    expect(answer.statusCode).toBe(405);
    expect(answer.headers.allow).toBe('DELETE, GET');
  });

  it('405 comes before 401 and before the body', async () => {
    expectError(await app.inject({ method: 'PUT', url: '/echo', payload: '{' }), 405, 'method_not_allowed');
  });
});

describe('one decision a path', () => {
  it.each(['/runs', '/%72uns', '/r%75n%73?x=1', 'http://x/runs', 'HTTPS://x/%72uns'])(
    '%s is the guarded route',
    async (target) => {
      const ask = (authorization: string) =>
        exchange(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${authorization}\r\n`);
      expectError(await ask(''), 401, 'agent_unauthorized');
      expect((await ask('Authorization: Bearer x\r\n')).statusCode).toBe(200);
    },
  );

  it.each(['//runs', '/./runs', '/things/../runs', '/things/%2e%2e/runs', '/runs/', '/runs%2f', '/RUNS', '/runs;a'])(
    '%s names no route, whoever asks',
    async (target) => {
      const ask = (authorization: string) =>
        exchange(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${authorization}\r\n`);
      expectError(await ask(''), 404, 'route_not_found');
      expectError(await ask('Authorization: Bearer x\r\n'), 404, 'route_not_found');
    },
  );
});

describe('missing tokens', () => {
  it('401 before the body is read', async () => {
    const head = 'POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n';
    const answer = await exchange(`${head}Connection: close\r\n\r\n`);
    expectError(answer, 401, 'owner_unauthorized');
    expect(answer.headers['www-authenticate']).toBe('Bearer');
  });

  it.each([
    ['empty', ''],
    ['no token', 'Bearer'],
    ['two tokens', 'Bearer a b'],
    ['another scheme', 'Basic YTpi'],
    ['a token of 4097 characters', `Bearer ${'a'.repeat(4097)}`],
  ])('401 for a header with %s, before 400 and 415', async (_name, authorization) => {
    expectError(await post('{', { authorization }), 401, 'owner_unauthorized');
    expectError(await post('x', { authorization, 'content-type': 'text/plain' }), 401, 'owner_unauthorized');
  });

  it('ignores tokens elsewhere', async () => {
    const answer = await app.inject({ method: 'POST', url: '/echo?access_token=x', payload: { access_token: 'x' } });
    expectError(answer, 401, 'owner_unauthorized');
  });

  it('answers with the code of the last scheme', async () => {
    expectError(await app.inject('/runs'), 401, 'agent_unauthorized');
  });
});

describe('JSON bodies', () => {
  it('reads JSON, with charset=utf-8 too', async () => {
    expect((await post('{"a":"é"}')).json()).toEqual({ body: { a: 'é' } });
    expect((await post('{"a":1}', { 'content-type': 'application/json; charset=UTF-8' })).statusCode).toBe(200);
    expect((await post('{"a":1}', { 'content-encoding': 'identity' })).statusCode).toBe(200);
  });

  it('takes an empty body for none', async () => {
    expect((await post('')).json()).toEqual({});
  });

  it.each([
    ['malformed_json', '{"a":'],
    ['inexact_number', '{"a":9007199254740993}'],
    ['invalid_text', '{"a":"\\u0000"}'],
    ['forbidden_key', '{"__proto__":{}}'],
    ['duplicate_key', '{"a":1,"a":2}'],
    ['too_deep', '['.repeat(200_000) + ']'.repeat(200_000)],
  ])('400 %s', async (issue, payload) => {
    expectError(await post(payload), 400, 'validation_failed', issue);
  });

  it('400 for bytes that are not UTF-8', async () => {
    const answer = await post(Buffer.from([0x22, 0xc3, 0x28, 0x22]));
    expectError(answer, 400, 'validation_failed', 'malformed_json');
  });

  it('413 above 1 MiB, declared or not', async () => {
    const body = JSON.stringify('x'.repeat(1024 * 1024 - 2));
    expect((await post(body)).statusCode).toBe(200);
    expectError(await post(`${body} `), 413, 'payload_too_large');
    const head = 'POST /echo HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer x\r\nContent-Type: application/json\r\n';
    const chunk = `100001\r\n${'x'.repeat(0x100001)}\r\n`;
    expectError(await exchange(`${head}Transfer-Encoding: chunked\r\n\r\n${chunk}`), 413, 'payload_too_large');
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json; charset=latin1',
    'application/octet-stream',
    'nonsense',
    '',
  ])('415 for content type "%s"', async (type) => {
    expectError(await post('{"a":1}', { 'content-type': type }), 415, 'unsupported_media_type');
  });

  it.each(['gzip', 'br', 'identity, gzip'])('415 for content encoding %s', async (encoding) => {
    expectError(await post('{"a":1}', { 'content-encoding': encoding }), 415, 'unsupported_media_type');
  });

  it('reads one on DELETE, never looks at one on GET', async () => {
    const json = { 'content-type': 'application/json' };
    const remove = { method: 'DELETE', url: '/things/1', headers: json } as const;
    expect((await app.inject({ ...remove, payload: '{"a":1}' })).json()).toEqual({ id: '1', body: { a: 1 } });
    expect((await app.inject({ ...remove, payload: '' })).json()).toEqual({ id: '1' });
    expectError(await app.inject({ ...remove, payload: '{' }), 400, 'validation_failed', 'malformed_json');
    const get = { method: 'GET', url: '/things/1', headers: json } as const;
    expect((await app.inject({ ...get, payload: '{' })).json()).toEqual({ id: '1' });
  });
});

describe('raw bodies', () => {
  const bytes = { 'content-type': 'application/octet-stream' };

  it('streams them, above the limit of JSON too', async () => {
    expect((await put(Buffer.alloc(3 * 1024 * 1024), bytes)).json()).toEqual({ bytes: 3 * 1024 * 1024 });
  });

  it('415 for JSON, other types and encodings', async () => {
    expectError(await put('{}', { 'content-type': 'application/json' }), 415, 'unsupported_media_type');
    expectError(await put('x', { 'content-type': 'text/plain' }), 415, 'unsupported_media_type');
    expectError(await put('x', { ...bytes, 'content-encoding': 'gzip' }), 415, 'unsupported_media_type');
  });
});

describe('what never becomes a request of Fastify', () => {
  it.each(['NONSENSE\r\n\r\n', 'GET / HTTP/1.1\r\nHost: x\r\nBad Header: 1\r\n\r\n', 'GET / HTTP/9.9\r\n\r\n'])(
    '400 for %j',
    async (bytes) => {
      expectError(await exchange(bytes), 400, 'validation_failed', 'malformed_request');
    },
  );

  it('400 for a broken chunk', async () => {
    const head = 'PUT /raw HTTP/1.1\r\nHost: x\r\nContent-Type: application/octet-stream\r\n';
    const answer = await exchange(`${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`);
    expectError(answer, 400, 'validation_failed', 'malformed_request');
  });

  it('no second answer where the first is on its way', async () => {
    const socket = connect(portOf(app), '127.0.0.1');
    let answers = '';
    socket.on('data', (chunk) => (answers += String(chunk)));
    const head = 'PUT /progress HTTP/1.1\r\nHost: x\r\nContent-Type: application/octet-stream\r\n';
    socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n`);
    await once(socket, 'data');
    socket.write('zz\r\n');
    await once(socket, 'close');
    expect(answers).toMatch(/^HTTP\/1.1 200 OK[^]*started/);
    expect(answers).not.toContain('HTTP/1.1 400');
  });

  it('400 for a missing Host, which HTTP/1.0 may miss', async () => {
    const answer = await exchange('GET /things/1 HTTP/1.1\r\nConnection: close\r\n\r\n');
    expectError(answer, 400, 'validation_failed', 'missing_host');
    expect((await exchange('GET /things/1 HTTP/1.0\r\n\r\n')).statusCode).toBe(200);
  });

  it('431 for too many headers, 414 for too long an address', async () => {
    const long = 'x'.repeat(20_000);
    expectError(await exchange(`GET / HTTP/1.1\r\nHost: x\r\nX: ${long}\r\n\r\n`), 431, 'headers_too_large');
    expectError(await exchange(`GET /${long} HTTP/1.1\r\nHost: x\r\n\r\n`), 414, 'uri_too_long');
  });

  it('414 above 8 KiB of address, query included', async () => {
    expect((await app.inject(`/things/${'x'.repeat(8_000)}`)).statusCode).toBe(200);
    expectError(await app.inject(`/things/${'x'.repeat(8_192)}`), 414, 'uri_too_long');
    expectError(await app.inject(`/things/1?q=${'x'.repeat(8_192)}`), 414, 'uri_too_long');
  });

  it.each(['/things/%ff', '/%', '/nowhere/%zz'])('400 for the address %s', async (url) => {
    const answer = await exchange(`GET ${url} HTTP/1.1\r\nHost: x\r\nX-Request-Id: r1\r\nConnection: close\r\n\r\n`);
    expectError(answer, 400, 'validation_failed', 'malformed_path');
    expect(answer.headers['x-request-id']).toBe('r1');
  });

  it('417 for an expectation other than 100-continue', async () => {
    const head = 'GET /things/1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect:';
    expectError(await exchange(`${head} miracles\r\n\r\n`), 417, 'expectation_failed');
    expect(await exchange(`${head} 100-continue\r\n\r\n`)).toMatchObject({ statusCode: 100 });
  });

  it('408 for headers and bodies that do not arrive', async () => {
    const impatient = await start({ headersTimeoutMs: 50, requestTimeoutMs: 100 });
    try {
      const head = 'POST /family HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n';
      const answers = await Promise.all(['GET / HT', `${head}{`].map((bytes) => exchange(bytes, impatient)));
      for (const answer of answers) expectError(answer, 408, 'request_timeout');
    } finally {
      await impatient.close();
    }
  });
});

describe('headers of every answer', () => {
  it('echoes a sane request id and makes one otherwise', async () => {
    const ask = (id: string, url = '/things/1') => app.inject({ url, headers: { 'x-request-id': id } });
    expect((await ask('req-1')).headers['x-request-id']).toBe('req-1');
    expect((await ask('not sane')).headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    const refused = await ask('req-2', '/nowhere');
    expect(refused.headers['x-request-id']).toBe('req-2');
    expect(refused.json()).toMatchObject({ meta: { requestId: 'req-2' } });
  });

  it('keeps JSON out of caches unless the route says otherwise, and leaves bytes alone', async () => {
    expect((await app.inject('/things/1')).headers).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
    expect((await app.inject('/cached')).headers['cache-control']).toBe('private, max-age=5');
    expect((await app.inject('/bytes')).headers).not.toHaveProperty('cache-control');
  });
});

describe('errors of handlers', () => {
  it('500 says nothing but the ids, and is logged with its stack', async () => {
    logged.mockClear();
    const trace = '0af7651916cd43dd8448eb211c80319c';
    const traceparent = `00-${trace}-b7ad6b7169203331-01`;
    const answer = await app.inject({ url: '/broken', headers: { traceparent, 'x-request-id': 'r1' } });
    expectError(answer, 500, 'internal_error');
    expect(answer.body).not.toContain('hunter2');
    expect(answer.json()).toMatchObject({ meta: { traceId: trace, requestId: 'r1' } });
    expect(answer.headers).not.toHaveProperty('content-disposition');
    const [message, stack] = logged.mock.calls[0] ?? [];
    expect(message).toBe('GET /broken failed, request r1');
    expect(stack).toContain('hunter2');
  });

  it("keeps the status of Nest's exceptions and not their sentence, and honours the family", async () => {
    const answer = await app.inject({ method: 'POST', url: '/family' });
    expectError(answer, 409, 'request_failed');
    expect(answer.body).not.toContain('library');
    const invalid = await app.inject({
      method: 'POST',
      url: '/family',
      headers: { 'content-type': 'application/json' },
      payload: '{',
    });
    expectError(invalid, 400, 'request_failed', 'malformed_json');
  });

  it('takes a status that the API does not use for a mistake', async () => {
    expectError(await app.inject({ url: '/forbidden', headers: token }), 500, 'internal_error');
  });

  it('does not log a client that leaves in the middle of its body', async () => {
    logged.mockClear();
    const gone = Promise.withResolvers<void>();
    app.getHttpServer().once('request', (request: IncomingMessage) => request.once('close', gone.resolve));
    const socket = connect(portOf(app), '127.0.0.1');
    const head = 'POST /family HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{';
    socket.write(head, () => socket.destroy());
    await gone.promise;
    await app.inject('/things/1');
    expect(logged).not.toHaveBeenCalled();
  });
});

describe('draining', () => {
  const ask = 'HTTP/1.1\r\nHost: x\r\n\r\n';

  /** A connection that stays open after its answer, as every keep-alive client's does. */
  async function idleConnection(to: NestFastifyApplication): Promise<Socket> {
    const socket = connect(portOf(to), '127.0.0.1');
    socket.write(`GET /things/1 ${ask}`);
    await new Promise((resolve) => socket.once('data', resolve));
    return socket.resume();
  }

  const closed = (socket: Socket) => new Promise((resolve) => socket.once('close', resolve));

  it('answers what is in flight, closes what is idle, and ends before the limit', async () => {
    gate = new Gate();
    const draining = new Draining();
    const ending = await start({ draining });
    const idle = closed(await idleConnection(ending));
    const silent = connect(portOf(ending), '127.0.0.1');
    await new Promise((resolve) => silent.once('connect', resolve));
    const inFlight = exchange(`GET /slow ${ask}`, ending);
    await gate.arrived.promise;

    draining.begin();
    const end = closeWithin(ending.getHttpServer(), () => ending.close(), 10_000);
    await idle;
    gate.opened.resolve();

    const answer = await inFlight;
    expect(answer.statusCode).toBe(200);
    expect(answer.headers.connection).toBe('close');
    expect(await end).toBe(true);
    silent.destroy();
  });

  it('cuts what is left at the limit', async () => {
    gate = new Gate();
    const ending = await start();
    const inFlight = exchange(`GET /slow ${ask}`, ending);
    await gate.arrived.promise;
    expect(await closeWithin(ending.getHttpServer(), () => ending.close(), 100)).toBe(false);
    expect((await inFlight).body).toBe('');
    gate.opened.resolve();
  });

  it('still answers what comes in on a busy connection, and closes that once it is idle', async () => {
    gate = new Gate();
    const ending = await start();
    const server = ending.getHttpServer();
    const idle = closed(await idleConnection(ending));
    const busy = connect(portOf(ending), '127.0.0.1');
    const answers = text(busy);
    busy.write(`GET /slow ${ask}`);
    await gate.arrived.promise;

    const end = closeWithin(server, () => ending.close(), 10_000);
    await idle;
    const second = once(server, 'request');
    busy.write(`GET /things/1 ${ask}`);
    await second;
    gate.opened.resolve();

    expect(await answers).toMatch(/200 OK[^]*{"slow":true}[^]*200 OK[^]*{"id":"1"}$/);
    expect(await end).toBe(true);
  });

  it('closes a connection whose answer came after Node had closed the idle ones', async () => {
    gate = new Gate();
    const ending = await start();
    const idle = closed(await idleConnection(ending));
    const inFlight = exchange(`GET /slow ${ask}`, ending);
    await gate.arrived.promise;
    const end = closeWithin(ending.getHttpServer(), () => ending.close(), 10_000);
    await idle;
    gate.opened.resolve();
    expect((await inFlight).body).toBe('{"slow":true}');
    expect(await end).toBe(true);
  });
});
