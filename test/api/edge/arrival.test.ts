import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { dial, exchange, expectError, start, token } from './probe.ts';

const QUIET_MS = 300;
const OCTETS = 'Content-Type: application/octet-stream';
const JSON_TYPE = 'Content-Type: application/json';
const GOOD = `Authorization: ${token.authorization}`;

const head = (line: string, ...headers: string[]) => [`${line} HTTP/1.1`, 'Host: x', ...headers, '', ''].join('\r\n');

/** The first answer that comes, on a connection that stays open as far as the client is concerned. */
async function firstAnswer(socket: Socket): Promise<string> {
  const [answer] = (await once(socket, 'data')) as [Buffer];
  return answer.toString();
}

describe('a body that is too long by what it declares', () => {
  it.each([
    ['bytes', head('PUT /bounded', GOOD, OCTETS, 'Content-Length: 1001')],
    ['JSON', head('POST /echo', GOOD, JSON_TYPE, `Content-Length: ${1024 * 1024 + 1}`)],
    ['JSON of a route that takes more', head('POST /large', JSON_TYPE, `Content-Length: ${2 * 1024 * 1024 + 1}`)],
  ])('is 413 at once, without a byte of it: %s', async (_what, request) => {
    const socket = dial();
    socket.write(request);
    expect(await firstAnswer(socket)).toMatch(/^HTTP\/1\.1 413 [^]*payload_too_large/);
    socket.destroy();
  });

  it('is 413 before 100 Continue', async () => {
    const request = head('PUT /bounded', GOOD, OCTETS, 'Content-Length: 1001', 'Expect: 100-continue');
    expectError(await exchange(request), 413, 'payload_too_large');
  });

  it('is dropped, so that the next request of the connection is answered', async () => {
    const socket = dial();
    socket.write(head('PUT /bounded', GOOD, OCTETS, 'Content-Length: 1001'));
    expect(await firstAnswer(socket)).toMatch(/^HTTP\/1\.1 413 /);
    socket.write('x'.repeat(1001) + head('GET /things/1'));
    expect(await firstAnswer(socket)).toMatch(/^HTTP\/1\.1 200 [^]*{"id":"1"}$/);
    socket.destroy();
  });
});

describe('Expect: 100-continue', () => {
  const waiting = (...headers: string[]) => head('PUT /bounded', OCTETS, 'Expect: 100-continue', ...headers);

  it('is 401 without a token before it is invited', async () => {
    expectError(await exchange(waiting('Content-Length: 5')), 401, 'owner_unauthorized');
  });

  it('is invited, and then read', async () => {
    const socket = dial();
    socket.write(waiting(GOOD, 'Content-Length: 5'));
    expect(await firstAnswer(socket)).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    socket.write('bytes');
    expect(await firstAnswer(socket)).toMatch(/^HTTP\/1\.1 200 [^]*{"bytes":5}$/);
    socket.destroy();
  });
});

describe('a body that takes its time', () => {
  let impatient: NestFastifyApplication;
  beforeAll(async () => {
    impatient = await start({ bodyQuietMs: QUIET_MS, jsonTimeoutMs: 3 * QUIET_MS });
  });
  afterAll(() => impatient.close());

  it('is 408 once nothing came for a while: bytes and JSON', async () => {
    for (const request of [
      head('PUT /bounded', GOOD, OCTETS, 'Content-Length: 9'),
      head('POST /family', JSON_TYPE, 'Content-Length: 9'),
      head('PUT /raw', OCTETS, 'Transfer-Encoding: chunked'),
    ])
      expectError(await exchange(`${request}1`, impatient), 408, 'request_timeout');
  });

  it('is taken however long it is in all, if it is bytes that keep coming', async () => {
    const socket = dial(impatient);
    const pieces = 12;
    socket.write(head('PUT /raw', OCTETS, `Content-Length: ${pieces}`));
    for (let piece = 0; piece < pieces; piece += 1) {
      await sleep(QUIET_MS / 2);
      socket.write('x');
    }
    expect(await firstAnswer(socket)).toMatch(/^HTTP\/1\.1 200 [^]*{"bytes":12}$/);
    socket.destroy();
  });

  it('is 408 in the end, if it is JSON', async () => {
    const socket = dial(impatient);
    socket.write(head('POST /family', JSON_TYPE, 'Content-Length: 100'));
    const drip = setInterval(() => socket.write(' '), QUIET_MS / 6);
    expect(await firstAnswer(socket)).toMatch(/^HTTP\/1\.1 408 [^]*request_timeout/);
    clearInterval(drip);
    socket.destroy();
  });

  it('is given up behind an answer that did not wait for it', async () => {
    const socket = dial(impatient);
    socket.write(head('POST /echo', JSON_TYPE, 'Content-Length: 100'));
    expect(await firstAnswer(socket)).toMatch(/^HTTP\/1\.1 401 /);
    await once(socket, 'close');
  });
});
