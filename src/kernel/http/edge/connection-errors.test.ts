import { describe, expect, it } from '@jest/globals';
import { connectionError } from './connection-errors.ts';

describe('connectionError', () => {
  it.each([
    ['HPE_INVALID_METHOD', 400, 'validation_failed'],
    ['HPE_HEADER_OVERFLOW', 431, 'headers_too_large'],
    ['HPE_CHUNK_EXTENSIONS_OVERFLOW', 413, 'payload_too_large'],
    ['ERR_HTTP_REQUEST_TIMEOUT', 408, 'request_timeout'],
    [undefined, 400, 'validation_failed'],
  ])('%s is %i %s', (code, status, expected) => {
    expect(connectionError({ code }).row).toMatchObject({ status, code: expected });
  });

  it('blames the address where that is what overflowed', () => {
    const long = 'x'.repeat(20_000);
    const rowOf = (text: string) =>
      connectionError({ code: 'HPE_HEADER_OVERFLOW', rawPacket: Buffer.from(text) }).row.status;
    expect(rowOf(`GET /${long} HTTP/1.1\r\n`)).toBe(414);
    expect(rowOf(`GET / HTTP/1.1\r\nX: ${long}\r\n`)).toBe(431);
    expect(rowOf(long)).toBe(431);
  });
});
