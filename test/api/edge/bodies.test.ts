import { describe, expect, it } from '@jest/globals';
import { app, exchange, expectError, post, put } from './probe.ts';

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
