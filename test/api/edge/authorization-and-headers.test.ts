import { describe, expect, it } from '@jest/globals';
import { app, exchange, expectError, post, token } from './probe.ts';

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
    ['a token of 8193 characters', `Bearer ${'a'.repeat(8193)}`],
  ])('401 for a header with %s, before 400 and 415', async (_name, authorization) => {
    expectError(await post('{', { authorization }), 401, 'owner_unauthorized');
    expectError(await post('x', { authorization, 'content-type': 'text/plain' }), 401, 'owner_unauthorized');
  });

  it('ignores tokens elsewhere', async () => {
    const answer = await app.inject({ method: 'POST', url: '/echo?access_token=x', payload: { access_token: 'x' } });
    expectError(answer, 401, 'owner_unauthorized');
  });

  it('401 for two tokens, whichever is first', async () => {
    const head = 'POST /echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n';
    const body = 'Content-Length: 2\r\n\r\n{}';
    const good = `Authorization: ${token.authorization}\r\n`;
    expect((await exchange(`${head}${good}${body}`)).statusCode).toBe(200);
    for (const other of [good, 'AUTHORIZATION: Bearer other\r\n', 'authorization: Basic YTpi\r\n'])
      for (const both of [good + other, other + good])
        expectError(await exchange(`${head}${both}${body}`), 401, 'owner_unauthorized');
  });

  it('answers with the code of the path, whatever the schemes', async () => {
    expectError(await app.inject('/runs'), 401, 'owner_unauthorized');
    for (const path of ['/internal/runs', '/workers']) expectError(await app.inject(path), 401, 'agent_unauthorized');
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
