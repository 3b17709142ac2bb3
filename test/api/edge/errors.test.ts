import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { app, dial, expectError, logged, token } from './probe.ts';

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

  it('behind the head of an answer can be told to the log only', async () => {
    logged.mockClear();
    const answer = await app.inject({ url: '/late', headers: { 'x-request-id': 'r2' } });
    expect([answer.statusCode, answer.body]).toEqual([200, 'begun']);
    const [message, stack] = logged.mock.calls[0] ?? [];
    expect(message).toBe('GET /late failed, request r2');
    expect(stack).toContain('behind the head');
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
    const socket = dial();
    const head = 'POST /family HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{';
    socket.write(head, () => socket.destroy());
    await gone.promise;
    await app.inject('/things/1');
    expect(logged).not.toHaveBeenCalled();
  });
});
