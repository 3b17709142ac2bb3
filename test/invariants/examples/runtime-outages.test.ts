import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { RuntimeProcess } from '../../support/processes/runtime-process.ts';
import { until } from '../../support/until.ts';

const LIMIT_MS = 30_000;
const NOTHING = { runs: [], claims: [], turns: [], retryAfterMs: null };
const SINCE = String.raw`since \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`;

/** In the service's place: a server whose answers are the test's. */
class Peer {
  answer: (response: ServerResponse, path: string) => void = answerNothing;
  private server: Server | undefined;
  port = 0;

  get baseUrl(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async open(): Promise<void> {
    this.server = createServer((request, response) => this.answer(response, request.url!));
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    if (!this.server?.listening) return;
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }
}

function answerNothing(response: ServerResponse, path: string): void {
  const data = path.endsWith('/recover') ? NOTHING : [];
  // A poll waits, so that the runtime does not ask without end.
  setTimeout(() => response.end(JSON.stringify({ data })), path.endsWith('/claim') ? 200 : 0);
}

function answerWith(status: number, text: string): (response: ServerResponse) => void {
  return (response) => void response.writeHead(status).end(text);
}

describe('the reference runtime', () => {
  let peer: Peer;
  let runtime: RuntimeProcess | undefined;

  beforeEach(async () => {
    peer = new Peer();
    await peer.open();
  });
  afterEach(async () => {
    await runtime?.stop('SIGKILL');
    await peer.close();
  });

  it(
    'says once that it cannot reach the service, also at its start, and once that it can again',
    async () => {
      await peer.close();
      start();
      await says(`cannot reach ${peer.baseUrl} ${SINCE}: the connection is refused, so nothing listens there; trying`);
      await peer.open();
      await says(`reaches ${peer.baseUrl} again, after \\d+ s\n`);
      await peer.close();
      await says(`(cannot reach[^]*){2}`);
      peer.answer = answerWith(502, 'bad gateway');
      await peer.open();
      peer.answer = answerNothing;
      await says(`(reaches[^]*){2}`);
      expect(runtime!.log.match(/reach/g)).toHaveLength(4);
      expect(await runtime!.stop('SIGTERM')).toBe(0);
    },
    LIMIT_MS,
  );

  it.each([
    ['answers 5xx', 'it answers 503', () => (peer.answer = answerWith(503, ''))],
    [
      'closes connections',
      'the connection was closed without an answer',
      () => (peer.answer = (response) => void response.destroy()),
    ],
  ])(
    'says that the service %s',
    async (_name, cause, begin) => {
      begin();
      start();
      await says(`cannot reach ${peer.baseUrl} ${SINCE}: ${cause}; trying`);
      peer.answer = answerNothing;
      await says('reaches .* again');
    },
    LIMIT_MS,
  );

  it(
    'says that the name of the host is not found',
    async () => {
      start('http://nowhere.invalid');
      await says(
        `cannot reach http://nowhere.invalid ${SINCE}: the name of the host (is not found|cannot be looked up)`,
      );
    },
    LIMIT_MS,
  );

  it(
    'says nothing of an answer that was lost once',
    async () => {
      let lost = 0;
      peer.answer = (response, path) => (++lost % 4 === 0 ? void response.destroy() : answerNothing(response, path));
      start();
      await until('some answers were lost', () => lost > 20, LIMIT_MS);
      expect(runtime!.log).not.toContain('reach');
    },
    LIMIT_MS,
  );

  it.each([
    [
      'its token is none of the service, and names both variables',
      answerWith(401, JSON.stringify({ message: 'No.', error: { code: 'agent_unauthorized' } })),
      /^AGENT_SERVICE_TOKEN is none of the AGENT_SERVICE_TOKENS of http:\S+: 401 agent_unauthorized: No\.\n$/,
    ],
    [
      'the server is another one',
      answerWith(404, '<html>'),
      /^http:\S+ refuses this runtime; is BUSINESS_RUNNER_URL right\? 404 unknown: the answer is no JSON\n$/,
    ],
    [
      'the server answers everything',
      answerWith(200, '<html>'),
      /^http:\S+ refuses this runtime; is BUSINESS_RUNNER_URL right\? 200 no_json: the answer is no JSON\n$/,
    ],
  ])(
    'ends where %s',
    async (_name, answer, reason) => {
      peer.answer = answer;
      start();
      expect(await runtime!.exited).toBe(1);
      expect(runtime!.stderr).toMatch(reason);
    },
    LIMIT_MS,
  );

  it('ends without a token, and with what is no URL', async () => {
    for (const [url, token, reason] of [
      ['127.0.0.1:3000', 'token', 'BUSINESS_RUNNER_URL is no URL'],
      [peer.baseUrl, '', 'AGENT_SERVICE_TOKEN is not set'],
    ] as const) {
      runtime = new RuntimeProcess(url, '.', 0, token);
      expect(await runtime.exited).toBe(1);
      expect(runtime.stderr).toMatch(new RegExp(`^${reason}.*\n$`));
    }
  });

  function start(baseUrl = peer.baseUrl): void {
    runtime = new RuntimeProcess(baseUrl, '.');
  }

  function says(pattern: string): Promise<void> {
    return until(`it says ${pattern}`, () => new RegExp(pattern).test(runtime!.log), LIMIT_MS).catch((error: Error) => {
      throw new Error(`${error.message} It said: ${runtime!.log}${runtime!.stderr}`);
    });
  }
});
