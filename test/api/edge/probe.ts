import { type AddressInfo, connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, expect, jest } from '@jest/globals';
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
import type { FastifyReply } from 'fastify';
import { createAdapter, type EdgeOptions } from '../../../src/kernel/http/edge/index.ts';
import { Endpoint, type EndpointSpec } from '../../../src/kernel/http/endpoint/index.ts';
import { ErrorFilter } from '../../../src/kernel/http/error.filter.ts';

const spec = (auth: EndpointSpec['auth']): EndpointSpec => ({
  summary: 'Probe',
  auth,
  ...(auth === 'public' ? {} : { scope: 'read' }),
  returns: Object,
});

/** The header of a request that passes for authorized; the probe does not look at the token itself. */
export const token = { authorization: 'Bearer brt_good' };

/** Holds the requests of `GET /slow` until it is opened. */
class Gate {
  readonly arrived = Promise.withResolvers<void>();
  readonly opened = Promise.withResolvers<void>();
}
let gate = new Gate();

/** A new gate that holds the next requests of `GET /slow`. */
export function holdSlow(): Gate {
  gate = new Gate();
  return gate;
}

/** One route for each rule of the edge. */
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

  @Get(['runs', 'internal/runs', 'workers'])
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

  @Put('bounded')
  @RouteConfig({ endpoint: { ...spec('owner'), raw: true, bodyLimitBytes: 1_000 } })
  bounded(@Body() stream: AsyncIterable<Buffer>) {
    return this.raw(stream);
  }

  @Post('large')
  @RouteConfig({ endpoint: { ...spec('public'), bodyLimitBytes: 2 * 1024 * 1024 } })
  large(@Body() body: object) {
    return { keys: Object.keys(body).length };
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

  @Get('late')
  @Endpoint(spec('public'))
  late(@Res() reply: FastifyReply) {
    const { raw } = reply.hijack();
    raw.writeHead(200).write('beg');
    setImmediate(() => raw.end('un'));
    throw new Error('it broke behind the head');
  }

  @Get('forbidden')
  @Endpoint(spec('owner'))
  forbidden() {
    throw new ForbiddenException();
  }
}

@Module({ controllers: [ProbeController] })
class ProbeModule {}

/** What the application logs as an error. */
export const logged = jest.fn();
const silent = () => {};
const logger = { log: silent, warn: silent, error: logged };

/** The probe on a port of its own; who starts one closes it. */
export async function start(options: EdgeOptions = {}): Promise<NestFastifyApplication> {
  const adapter = createAdapter(options);
  const app = await NestFactory.create<NestFastifyApplication>(ProbeModule, adapter, { bodyParser: false, logger });
  app.useGlobalFilters(new ErrorFilter());
  await app.listen(0, '127.0.0.1');
  return app;
}

/** The probe that a test file shares, closed after its last test. */
export const app = await start();
afterAll(() => app.close());

/** A connection to a probe. */
export const dial = (to = app): Socket => connect((to.getHttpServer().address() as AddressInfo).port, '127.0.0.1');

interface Answer {
  readonly statusCode: number;
  readonly headers: Record<string, unknown>;
  readonly body: string;
}

/** Sends bytes and reads everything that comes until the server closes the connection. */
export async function exchange(bytes: string, to = app): Promise<Answer> {
  const socket = dial(to);
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
export function expectError(answer: Answer, status: number, code: string, issue?: string): void {
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

/** Posts a body, as JSON and with a token unless the headers say otherwise. */
export const post = (payload: string | Buffer, headers: Record<string, string> = {}) =>
  app.inject({
    method: 'POST',
    url: '/echo',
    headers: { ...token, 'content-type': 'application/json', ...headers },
    payload,
  });

/** Puts a body to the route that reads it raw. */
export const put = (payload: string | Buffer, headers: Record<string, string>) =>
  app.inject({ method: 'PUT', url: '/raw', headers, payload });
