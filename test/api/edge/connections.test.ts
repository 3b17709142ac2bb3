import { once } from 'node:events';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { closeWithin, Draining } from '../../../src/kernel/http/edge/index.ts';
import { app, dial, exchange, expectError, holdSlow, start } from './probe.ts';

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
    const socket = dial();
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
    const impatient = await start({ headersTimeoutMs: 50, bodyQuietMs: 100 });
    try {
      const head = 'POST /family HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n';
      const answers = await Promise.all(['GET / HT', `${head}{`].map((bytes) => exchange(bytes, impatient)));
      for (const answer of answers) expectError(answer, 408, 'request_timeout');
    } finally {
      await impatient.close();
    }
  });
});

describe('draining', () => {
  const ask = 'HTTP/1.1\r\nHost: x\r\n\r\n';

  /** A connection that stays open after its answer, as every keep-alive client's does. */
  async function idleConnection(to: NestFastifyApplication): Promise<Socket> {
    const socket = dial(to);
    socket.write(`GET /things/1 ${ask}`);
    await new Promise((resolve) => socket.once('data', resolve));
    return socket.resume();
  }

  const closed = (socket: Socket) => new Promise((resolve) => socket.once('close', resolve));

  it('answers what is in flight, closes what is idle, and ends before the limit', async () => {
    const gate = holdSlow();
    const draining = new Draining();
    const ending = await start({ draining });
    const idle = closed(await idleConnection(ending));
    const silent = dial(ending);
    await new Promise((resolve) => silent.once('connect', resolve));
    const inFlight = exchange(`GET /slow ${ask}`, ending);
    await gate.arrived.promise;

    draining.begin();
    const end = closeWithin(draining, ending.getHttpServer(), () => ending.close(), 10_000);
    await idle;
    gate.opened.resolve();

    const answer = await inFlight;
    expect(answer.statusCode).toBe(200);
    expect(answer.headers.connection).toBe('close');
    expect(await end).toBe(true);
    silent.destroy();
  });

  it('answers 503 to what is left at the limit', async () => {
    const gate = holdSlow();
    const draining = new Draining();
    const ending = await start({ draining });
    const inFlight = exchange(`GET /slow ${ask}`, ending);
    await gate.arrived.promise;
    expect(await closeWithin(draining, ending.getHttpServer(), () => ending.close(), 100)).toBe(false);
    const answer = await inFlight;
    expectError(answer, 503, 'service_unavailable');
    expect(answer.headers).toMatchObject({ connection: 'close', 'retry-after': expect.any(String) });
    gate.opened.resolve();
  });

  it('still answers what comes in on a busy connection, and closes that once it is idle', async () => {
    const gate = holdSlow();
    const draining = new Draining();
    const ending = await start({ draining });
    const server = ending.getHttpServer();
    const idle = closed(await idleConnection(ending));
    const busy = dial(ending);
    const answers = text(busy);
    busy.write(`GET /slow ${ask}`);
    await gate.arrived.promise;

    const end = closeWithin(draining, server, () => ending.close(), 10_000);
    await idle;
    const second = once(server, 'request');
    busy.write(`GET /things/1 ${ask}`);
    await second;
    gate.opened.resolve();

    expect(await answers).toMatch(/200 OK[^]*{"slow":true}[^]*200 OK[^]*{"id":"1"}$/);
    expect(await end).toBe(true);
  });

  it('closes a connection whose answer came after Node had closed the idle ones', async () => {
    const gate = holdSlow();
    const draining = new Draining();
    const ending = await start({ draining });
    const idle = closed(await idleConnection(ending));
    const inFlight = exchange(`GET /slow ${ask}`, ending);
    await gate.arrived.promise;
    const end = closeWithin(draining, ending.getHttpServer(), () => ending.close(), 10_000);
    await idle;
    gate.opened.resolve();
    expect((await inFlight).body).toBe('{"slow":true}');
    expect(await end).toBe(true);
  });
});
