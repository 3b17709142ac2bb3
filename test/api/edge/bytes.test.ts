import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { renameSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '../../support/until.ts';
import { described, dial, document, filesOfStore, MAX_BYTES, objectStoreDir, openFiles, urlOf } from './bytes-probe.ts';

const digestOf = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex');
const OCTETS = { 'content-type': 'application/octet-stream' };

type Body = Buffer<ArrayBuffer> | ReadableStream;

async function send(method: string, sha256: string, headers: Record<string, string> = {}, body?: Body) {
  const init: RequestInit = { method, headers, ...(body === undefined ? {} : { body, duplex: 'half' }) };
  const response = await fetch(urlOf(sha256), init);
  const bytes = Buffer.from(await response.arrayBuffer());
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  return {
    status: response.status,
    headers: response.headers,
    bytes,
    body: isJson && bytes.length > 0 ? JSON.parse(bytes.toString()) : undefined,
  };
}
const put = (sha256: string, body: Body, headers: Record<string, string> = OCTETS) =>
  send('PUT', sha256, headers, body);
const putAs = (mediaType: string, body: Buffer<ArrayBuffer>) =>
  put(`${digestOf(body)}?mediaType=${encodeURIComponent(mediaType)}`, body);

describe('an upload', () => {
  it('201 with size and digest, and 201 again', async () => {
    const bytes = randomBytes(MAX_BYTES);
    const sha256 = digestOf(bytes);
    for (let time = 0; time < 2; time += 1) {
      const { status, body } = await put(sha256, bytes);
      expect([status, body.data]).toEqual([201, { sizeBytes: MAX_BYTES, sha256 }]);
    }
    expect((await send('GET', sha256)).bytes.equals(bytes)).toBe(true);
  });

  it('takes none for an empty file where the media type says so', async () => {
    const sha256 = digestOf('');
    expect((await put(sha256, Buffer.alloc(0))).body.data).toEqual({ sizeBytes: 0, sha256 });
    const { status, headers, bytes } = await send('GET', sha256);
    expect([status, headers.get('content-length'), bytes.length]).toEqual([200, '0', 0]);
  });

  it('400 for another digest', async () => {
    const before = filesOfStore();
    const { status, body } = await put(digestOf('announced'), Buffer.from('sent'));
    expect([status, body.error]).toEqual([
      400,
      { code: 'validation_failed', issues: [expect.objectContaining({ path: 'sha256', code: 'digest_mismatch' })] },
    ]);
    expect(filesOfStore()).toEqual(before);
  });

  it('413 above the limit, declared or not, and the client hears of it', async () => {
    const before = filesOfStore();
    const bytes = Buffer.alloc(MAX_BYTES + 1);
    for (const body of [bytes, new Blob([bytes]).stream()]) {
      const { status, body: envelope } = await put(digestOf(bytes), body);
      expect([status, envelope.error.code]).toEqual([413, 'payload_too_large']);
    }
    expect(filesOfStore()).toEqual(before);
  });

  it('413 in mid-body, with more to come', async () => {
    const socket = dial();
    const chunk = `100000\r\n${'x'.repeat(0x100000)}\r\n`;
    socket.write(`PUT /files/abc HTTP/1.1\r\nHost: x\r\nContent-Type: ${OCTETS['content-type']}\r\n`);
    socket.write(`Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n${chunk.repeat(6)}`);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 413 /);
    socket.destroy();
    await until('nothing is left', () => filesOfStore().every((name) => !name.startsWith('.incoming/')));
  });

  it('leaves nothing behind when the client goes away', async () => {
    const before = filesOfStore();
    const socket = dial();
    socket.write(`PUT /files/abc HTTP/1.1\r\nHost: x\r\nContent-Type: ${OCTETS['content-type']}\r\n`);
    socket.write(`Content-Length: 1000000\r\n\r\n${'x'.repeat(1000)}`);
    await until('it is being written', () => filesOfStore().length === before.length + 1);
    socket.destroy();
    await until('nothing is left', () => filesOfStore().length === before.length);
    expect([filesOfStore(), openFiles()]).toEqual([before, []]);
  });

  it('503 with Retry-After while the store’s folder is away, as for what is read, and 201 when it is back', async () => {
    const bytes = randomBytes(100_000);
    const sha256 = digestOf(bytes);
    renameSync(objectStoreDir, `${objectStoreDir}-away`);
    for (const method of ['PUT', 'GET']) {
      const { status, headers, body } = await send(method, sha256, OCTETS, method === 'PUT' ? bytes : undefined);
      expect([status, body.error.code, headers.get('retry-after')]).toEqual([503, 'service_unavailable', '5']);
    }
    renameSync(`${objectStoreDir}-away`, objectStoreDir);
    expect((await put(sha256, bytes)).status).toBe(201);
    expect((await send('GET', sha256)).bytes.equals(bytes)).toBe(true);
  });

  it.each([
    { 'content-type': 'application/json' },
    { 'content-type': 'text/csv' },
    { ...OCTETS, 'content-encoding': 'gzip' },
  ])('415 for %j', async (headers) => {
    const { status, body } = await put(digestOf('{}'), Buffer.from('{}'), headers);
    expect([status, body.error.code]).toEqual([415, 'unsupported_media_type']);
  });

  it('is taken as the type that it is declared to be, and has', async () => {
    const text = Buffer.alloc(1_000_000, 'text ');
    expect((await putAs('text/plain', text)).status).toBe(201);
    expect((await send('GET', digestOf(text))).bytes.equals(text)).toBe(true);
  });

  it('413 and 415 with the codes of a family, and the client hears of it', async () => {
    const before = filesOfStore();
    const late = Buffer.concat([Buffer.alloc(MAX_BYTES - 1, 'text '), Buffer.alloc(1)]);
    for (const [mediaType, body, status, issues] of [
      ['text/plain', Buffer.alloc(MAX_BYTES + 1, 'text '), 413, undefined],
      ['text/plain', late, 415, [{ path: 'mediaType', code: 'media_type_mismatch', message: expect.any(String) }]],
      ['application/pdf', late, 415, [{ path: 'mediaType', code: 'media_type_mismatch', message: expect.any(String) }]],
      ['text/html', late, 415, [{ path: 'mediaType', code: 'media_type_not_accepted', message: expect.any(String) }]],
    ] as const) {
      const answer = await putAs(mediaType, body);
      expect([answer.status, answer.body.error]).toEqual([status, { code: 'file_invalid', ...(issues && { issues }) }]);
    }
    expect([filesOfStore(), openFiles()]).toEqual([before, []]);
  });

  it('415 without a body', async () => {
    const { status, body } = await send('PUT', digestOf(''));
    expect([status, body.error.code]).toEqual([415, 'unsupported_media_type']);
  });
});

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

describe('the document', () => {
  const { put: upload, get, head } = document.paths['/files/{sha256}']!;
  const binary = { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } };

  it('shows an upload as bytes that are required', () => {
    expect(upload!.requestBody).toEqual({ required: true, content: binary });
    expect(Object.keys(upload!.responses)).toEqual(['201']);
  });

  it('shows a download as bytes, whole or in part, or the reason for none', () => {
    expect(Object.keys(get!.responses)).toEqual(['200', '206', '304', '412', '416']);
    expect(get!.responses).toMatchObject({ 200: { content: binary }, 206: { content: binary } });
    expect(get!.responses['416']).toEqual({ $ref: '#/components/responses/RangeNotSatisfiable' });
    expect(JSON.stringify(document.components!.responses)).toContain('range_not_satisfiable');
    const headers = get!.parameters!.flatMap((each) => ('in' in each && each.in === 'header' ? [each.name] : []));
    expect(headers).toEqual(['Range', 'If-Range', 'If-Match', 'If-None-Match']);
  });

  it('shows HEAD with the headers alone', () => {
    expect(Object.keys(head!.responses)).toEqual(['200', '206', '304', '412', '416']);
    for (const status of ['200', '206']) {
      expect(head!.responses[status]).toHaveProperty('headers.Accept-Ranges');
      expect(head!.responses[status]).not.toHaveProperty('content');
    }
  });

  it('has no schema of a stream', () => {
    expect(Object.keys(document.components!.schemas!).sort()).toEqual([
      'ErrorBody',
      'FormIssueCode',
      'Issue',
      'Meta',
      'Pagination',
      'Stored',
      'WarnedMeta',
    ]);
  });
});
