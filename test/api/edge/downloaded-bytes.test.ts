import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '../../support/until.ts';
import { digestOf, put, send } from './bytes-calls.ts';
import { described, dial, MAX_BYTES, openFiles } from './bytes-probe.ts';

describe('a download', () => {
  const bytes = Buffer.from('0123456789');
  const sha256 = digestOf(bytes);
  const etag = `"${sha256}"`;
  beforeAll(() => put(sha256, bytes));
  afterEach(() => void Object.assign(described, { mediaType: 'text/csv', sizeOff: 0, breakAt: Infinity }));

  it.each(['GET', 'HEAD'])('%s 200 with everything that belongs to a file', async (method) => {
    const { status, headers, bytes: got } = await send(method, sha256);
    expect([status, got.toString()]).toEqual([200, method === 'GET' ? '0123456789' : '']);
    expect(Object.fromEntries(headers)).toMatchObject({
      'accept-ranges': 'bytes',
      'cache-control': 'private, no-cache',
      'content-disposition': `attachment; filename="_bersicht.csv"; filename*=UTF-8''%C3%9Cbersicht.csv`,
      'content-length': '10',
      'content-security-policy': "default-src 'none'; sandbox",
      'content-type': 'text/csv',
      etag,
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.any(String),
    });
    expect(headers.get('content-range')).toBeNull();
  });

  it.each([
    ['bytes=2-4', '234', 'bytes 2-4/10'],
    ['bytes=7-', '789', 'bytes 7-9/10'],
    ['bytes=-2', '89', 'bytes 8-9/10'],
    ['bytes=0-99', '0123456789', 'bytes 0-9/10'],
  ])('206 for %s', async (range, part, contentRange) => {
    for (const method of ['GET', 'HEAD']) {
      const { status, headers, bytes: got } = await send(method, sha256, { range });
      expect([status, headers.get('content-range'), headers.get('content-length')]).toEqual([
        206,
        contentRange,
        String(part.length),
      ]);
      expect(got.toString()).toBe(method === 'GET' ? part : '');
      expect(headers.get('etag')).toBe(etag);
    }
  });

  it.each(['bytes=0-1,4-5', 'lines=1-2', 'bytes=4-2', 'nonsense'])('200 with the whole for %s', async (range) => {
    const { status, headers, bytes: got } = await send('GET', sha256, { range });
    expect([status, headers.get('content-range'), got.toString()]).toEqual([200, null, '0123456789']);
  });

  it('416 for a range that lies outside, in the envelope', async () => {
    const { status, headers, body } = await send('GET', sha256, { range: 'bytes=10-' });
    expect([status, body.success, body.error.code]).toEqual([416, false, 'range_not_satisfiable']);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-range': 'bytes */10',
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
    });
    expect([headers.get('etag'), headers.get('content-disposition')]).toEqual([null, null]);
    expect((await send('HEAD', sha256, { range: 'bytes=10-' })).status).toBe(416);
  });

  it('If-Range: the range while it is still that file, else the whole', async () => {
    const status = async (ifRange: string) =>
      (await send('GET', sha256, { range: 'bytes=2-4', 'if-range': ifRange })).status;
    expect(await status(etag)).toBe(206);
    for (const other of [`"${digestOf('other')}"`, `W/${etag}`, new Date().toUTCString()])
      expect([other, await status(other)]).toEqual([other, 200]);
    // Whoever has another file hears of no range of this one.
    expect((await send('GET', sha256, { range: 'bytes=99-', 'if-range': '"other"' })).status).toBe(200);
  });

  it('412 unless it is what the caller knows, and then as without a condition', async () => {
    for (const method of ['GET', 'HEAD']) {
      for (const tags of ['"other"', `W/${etag}`, digestOf('other'), ''])
        for (const more of [{}, { 'if-none-match': etag }, { range: 'bytes=99-' }] as Record<string, string>[]) {
          const { status, headers, body } = await send(method, sha256, { 'if-match': tags, ...more });
          expect([tags, status, headers.get('etag')]).toEqual([tags, 412, null]);
          if (method === 'GET') expect(body.error).toEqual({ code: 'precondition_failed' });
        }
      for (const tags of [etag, `"other", ${etag}`, '*']) {
        expect((await send(method, sha256, { 'if-match': tags })).status).toBe(200);
        expect((await send(method, sha256, { 'if-match': tags, range: 'bytes=2-4' })).status).toBe(206);
        expect((await send(method, sha256, { 'if-match': tags, 'if-none-match': etag })).status).toBe(304);
      }
    }
  });

  it('304 for what the caller has', async () => {
    for (const tags of [etag, `W/${etag}`, `"other", ${etag}`, '*'])
      for (const method of ['GET', 'HEAD']) {
        const headers = { 'if-none-match': tags, range: 'bytes=2-4' };
        const { status, headers: got, bytes: sent } = await send(method, sha256, headers);
        expect([status, got.get('etag'), got.get('cache-control')]).toEqual([304, etag, 'private, no-cache']);
        expect([sent.length, got.get('content-type')]).toEqual([0, null]);
      }
    expect((await send('GET', sha256, { 'if-none-match': '"other"' })).status).toBe(200);
  });

  it('is bytes where the recorded media type is none', async () => {
    described.mediaType = 'text/html\r\nx: y';
    expect((await send('GET', sha256)).headers.get('content-type')).toBe('application/octet-stream');
  });

  it('500 where the store has other bytes than were recorded', async () => {
    described.sizeOff = 1;
    const { status, headers, body } = await send('GET', sha256);
    expect([status, body.error.code, headers.get('etag')]).toEqual([500, 'internal_error', null]);
    await until('the file is closed', () => openFiles().length === 0);
  });

  it('closes the file when the client goes away', async () => {
    const large = randomBytes(MAX_BYTES);
    await put(digestOf(large), large);
    const socket = dial();
    socket.write(`GET /files/${digestOf(large)} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await once(socket, 'data');
    socket.pause();
    expect(openFiles()).toHaveLength(1);
    socket.destroy();
    await until('the file is closed', () => openFiles().length === 0);
  });

  it('is cut off where the store breaks off, and does not look whole', async () => {
    const large = randomBytes(MAX_BYTES);
    await put(digestOf(large), large);
    described.breakAt = MAX_BYTES / 2;
    await expect(send('GET', digestOf(large))).rejects.toThrow('terminated');
    await until('the file is closed', () => openFiles().length === 0);
  });

  it('is one of several on a connection', async () => {
    const socket = dial();
    const get = (range: string) => `GET /files/${sha256} HTTP/1.1\r\nHost: x\r\nRange: ${range}\r\n`;
    socket.write(`${get('bytes=0-1')}\r\n${get('bytes=99-')}\r\n${get('bytes=8-')}Connection: close\r\n\r\n`);
    const statuses = [...(await text(socket)).matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
    expect(statuses).toEqual(['206', '416', '206']);
  });
});
