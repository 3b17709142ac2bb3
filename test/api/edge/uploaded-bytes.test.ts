import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { renameSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { until } from '../../support/until.ts';
import { digestOf, OCTETS, put, send } from './bytes-calls.ts';
import { dial, filesOfStore, MAX_BYTES, objectStoreDir, openFiles } from './bytes-probe.ts';

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
