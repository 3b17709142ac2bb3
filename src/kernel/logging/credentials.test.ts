import { describe, expect, it } from '@jest/globals';
import { credentialIn, redact } from './credentials.ts';

const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln-CANARY';

describe('credentials', () => {
  it.each([
    ['token brt_abcdefgh1234567890CANARY', 'token brt_abcdefgh[redacted]'],
    ['{"authorization":"Bearer s3cret-CANARY"}', '{"authorization":"Bearer [redacted]"}'],
    ['authorization: bearer CANARY', 'authorization: bearer [redacted]'],
    ['Authorization: Basic dXNlcjpDQU5BUlk=', 'Authorization: Basic [redacted]'],
    ['Basic dXNlcjpDQU5B', 'Basic [redacted]'],
    ['Basic CANARYabc123', 'Basic [redacted]'],
    ['postgresql://user:p4ss-CANARY@db:5432/x', 'postgresql://user:[redacted]@db:5432/x'],
    ['redis://:CANARY@cache:6379', 'redis://:[redacted]@cache:6379'],
    ['cloned https://bot:CANARY/1@code.example/x.git', 'cloned https://bot:[redacted]@code.example/x.git'],
    [`capability ${JWT}`, 'capability eyJhbGc[redacted]'],
    ['used sk-CANARYabcdefghijklmnop', 'used sk-[redacted]'],
    ['used sk-proj-0CANARY-x_y', 'used sk-[redacted]'],
    ['(sk-ant-api03-CANARY-1234)', '(sk-[redacted])'],
    ['sk_live_CANARY123', 'sk_live_[redacted]'],
    ['AKIAIOSFODNN7CANARYX in the region', 'AKIA[redacted] in the region'],
    ['ghp_CANARY1234567890abcdefghij', 'ghp_[redacted]'],
    ['github_pat_11CANARY_1234567890', 'github_pat_[redacted]'],
    ['xoxb-123456789012-CANARY', 'xoxb-[redacted]'],
    ['AIzaSyCANARY1234567890abcdefghijklmnopqrs', 'AIza[redacted]'],
    [
      '-----BEGIN RSA PRIVATE KEY-----\nCANARY\n-----END RSA PRIVATE KEY----- gone',
      '-----BEGIN RSA PRIVATE KEY-----[redacted] gone',
    ],
    ['-----BEGIN CERTIFICATE-----CANARY', '-----BEGIN CERTIFICATE-----[redacted]'],
    ['{"key":"-----BEGIN PRIVATE KEY-----\\nCANARY"}', '{"key":"-----BEGIN PRIVATE KEY-----[redacted]"}'],
    ['password=CANARY', 'password=[redacted]'],
    ['DB_PASSWORD=CANARY ./run', 'DB_PASSWORD=[redacted] ./run'],
    ['login?user=a&password=CANARY&next=/', 'login?user=a&password=[redacted]&next=/'],
    ['password: CANARY', 'password: [redacted]'],
    ['Password : "canary word"', 'Password : "[redacted] word"'],
    ['api_key: canary', 'api_key: [redacted]'],
    ['API-KEY=canary', 'API-KEY=[redacted]'],
    ['{"apiKey":"canary","n":1}', '{"apiKey":"[redacted]","n":1}'],
    ['client_secret = CANARY', 'client_secret = [redacted]'],
    ['access_token: abc123CANARY', 'access_token: [redacted]'],
    ['AWS_SECRET_ACCESS_KEY=CANARY/x', 'AWS_SECRET_ACCESS_KEY=[redacted]'],
    ['token:0192f0c1-7a55-4bb3-9d0e-CANARY2c1b4e', 'token:[redacted]'],
    ["{ 'token' => 'CANARY' }", "{ 'token' => '[redacted]' }"],
  ])('are found in %j', (text, redacted) => {
    expect(credentialIn(text)).toEqual(expect.any(String));
    expect(redact(text)).toBe(redacted);
    expect([credentialIn(redacted), redact(redacted)]).toEqual([undefined, redacted]);
  });

  it.each([
    'nothing to hide',
    'Ran 12 tests in 3.4 s: 11 passed, 1 failed',
    'Wrote the risk-assessment-for-2026-q3-and-beyond.md',
    'Installed sk-learn-contrib-tools; locale sk-SK',
    'Basic authentication works, basic understanding of OAuth',
    'Basic functionality and Bearer authentication are described',
    'Bearer token missing: 401',
    'Password reset flow tested',
    'The password: must have 12 characters',
    'Secret: rotated. Token: refreshed, password unchanged',
    'max_tokens=4096 input_token: 1200 token=17',
    'PWD=/srv/work OLDPWD=/tmp pwd: ~/project',
    'token == null || password !== undefined',
    'password=*** api_key=<redacted> secret=${SECRET} token=$TOKEN',
    'apiKey: string; password: string | null',
    'const apiKey = process.env.API_KEY',
    'password=[redacted]',
    'GET http://localhost:8080/people/ada@example.com 200',
    'mailto:ada@example.com, ssh://git@code.example/x.git, https://code.example:8443/a?b=c',
    'commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    'run 0192f0c1-7a55-7bb3-9d0e-5a3f2c1b4e6d at 2026-03-01T09:30:00Z',
    'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=',
    'keyboard: monkey=1, turkey: yes, primary key: (organization_id, id)',
    '{"caller":"token:0192f0c1-7a55-7bb3-9d0e-5a3f2c1b4e6d","n":1}',
    'secretary: Ada, tokenizer: fast, passwordless: yes',
    '{"level":"info","subject":"somebody","tokenId":"0192f0c1","msg":"GET /x"}',
    'AKIA is the prefix, ghp_ another, AIza too, xoxb- and sk- as well, eyJ and -----BEGIN',
  ])('are not seen in %j', (text) => {
    expect([credentialIn(text), redact(text)]).toEqual([undefined, text]);
  });

  it('are what is told outright too', () => {
    expect(redact('with an-own-token-CANARY here', ['an-own-token-CANARY'])).toBe('with [redacted] here');
  });

  it.each([
    ['ordinary lines', 'Ran the tests of the module: all passed, wrote the report. '],
    ['one long word', 'a'],
    ['beginnings of keys', 'sk-a-'],
    ['beginnings of tokens', 'eyJa-eyJa.'],
    ['beginnings of addresses', 'ab://a:b'],
    ['schemes', 'a.b+c-'],
    ['beginnings of blocks', '-----BEGIN A-----'],
    ['names of secrets', 'token='],
    ['names of secrets and space', 'password   :   '],
    ['bearers', 'bearer '],
    ['basics', 'basic aaaaaa'],
  ])('cost little to look for in %s', (_what, piece) => {
    const text = piece.repeat(Math.ceil(2_000 / piece.length)).slice(0, 2_000);
    const begin = performance.now();
    for (let nth = 0; nth < 200; nth += 1) credentialIn(text + nth);
    const took = performance.now() - begin;
    if (process.env.PRINT_COST) process.stderr.write(`${_what}: ${took.toFixed(1)} ms\n`);
    expect(took).toBeLessThan(500);
  });
});
