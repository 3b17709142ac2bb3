import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { EgressRequest } from '../../../src/kernel/egress/index.ts';
import { Outside } from '../../support/peers/outside.ts';

const LIMITS = { totalMs: 20_000, maxBytes: 1_000_000 };
/** Long enough for a connection on a busy machine. */
const SHORT = { ...LIMITS, totalMs: 2_500 };
let outside: Outside;
let hosts = 0;

beforeAll(async () => {
  outside = await Outside.start();
});
afterAll(() => outside.stop());
beforeEach(() => {
  outside.sockets.length = 0;
});

function send(url: string, more: Partial<EgressRequest> = {}) {
  return outside.egress().send({ url, method: 'GET', limits: LIMITS, hosts: 'public', ...more });
}

/** A host that says these bytes as soon as a request comes. */
function saying(...parts: readonly (string | Buffer)[]): Promise<string> {
  hosts += 1;
  return outside.rawHost(`raw-${hosts}.example`, (socket) => {
    socket.on('error', () => undefined).once('data', () => parts.forEach((part) => socket.write(part)));
  });
}

/** A host that begins an answer and then never stops to add to it. */
function dripping(begin: string, drop: string): Promise<string> {
  hosts += 1;
  return outside.rawHost(`drips-${hosts}.example`, (socket) => {
    socket
      .on('error', () => undefined)
      .once('data', () => {
        socket.write(begin);
        const drips = setInterval(() => socket.write(drop), 20);
        socket.on('close', () => clearInterval(drips));
      });
  });
}

function expectNoSocketLeft(): void {
  expect(outside.sockets.length).toBeGreaterThan(0);
  expect(outside.sockets.every(({ destroyed }) => destroyed)).toBe(true);
}

const OK = 'HTTP/1.1 200 OK\r\n';

describe('an answer that takes too long', () => {
  it('is ended by the total time, wherever it stops and however it drips', async () => {
    const forms = {
      'never comes': await saying(),
      'stops in its head': await saying(OK),
      'stops in its body': await saying(`${OK}Content-Length: 100\r\n\r\nsome`),
      'has no end': await saying(`${OK}\r\nsome`),
      'drips its head': await dripping(OK, 'X-More: more\r\n'),
      'drips its body': await dripping(`${OK}Transfer-Encoding: chunked\r\n\r\n`, '1\r\na\r\n'),
      'drips interim answers': await dripping('', 'HTTP/1.1 102 Processing\r\n\r\n'),
    };
    const sendings = Object.entries(forms).map(
      async ([form, url]) => [form, await send(url, { limits: SHORT })] as const,
    );
    for (const [form, result] of await Promise.all(sendings))
      expect([form, result]).toEqual([form, expect.objectContaining({ refusal: 'timeout', sent: true })]);
    expectNoSocketLeft();
  });

  it('is ended by the total time over all redirects', async () => {
    const url = await outside.host('slow-circle.example', async (_, response) => {
      await sleep(200);
      response.writeHead(302, { location: '/' }).end();
    });
    const result = await send(url, { limits: { ...SHORT, redirects: 1_000 } });
    expect(result).toMatchObject({ refusal: 'timeout', sent: true });
    expectNoSocketLeft();
  });

  it('ends when its caller aborts', async () => {
    const aborting = new AbortController();
    const url = await outside.host('aborted.example', () => aborting.abort());
    expect(await send(url, { signal: aborting.signal })).toMatchObject({ refusal: 'aborted', sent: true });
    expectNoSocketLeft();
    expect(await send(url, { signal: aborting.signal })).toMatchObject({ refusal: 'aborted', sent: false });
    expect(outside.sockets).toHaveLength(1);
  });
});

describe('an answer that is too large', () => {
  it('is refused where it announces more than allowed, without reading it', async () => {
    const url = await saying(`${OK}Content-Length: 10000000000\r\n\r\n`);
    expect(await send(url)).toMatchObject({ refusal: 'too_large', sent: true });
    expectNoSocketLeft();
  });

  it('is refused where it sends more than allowed, however it is framed', async () => {
    const body = 'x'.repeat(1_000_001);
    for (const answer of [`${OK}\r\n${body}`, `${OK}Transfer-Encoding: chunked\r\n\r\nf4241\r\n${body}\r\n0\r\n\r\n`])
      expect(await send(await saying(answer))).toMatchObject({ refusal: 'too_large', sent: true });
    expectNoSocketLeft();
  });

  it('is accepted with exactly the bytes allowed', async () => {
    const url = await saying(`${OK}Content-Length: 1000000\r\n\r\n${'x'.repeat(1_000_000)}`);
    const result = await send(url);
    expect(result).toMatchObject({ status: 200 });
    expect('body' in result && result.body.length).toBe(1_000_000);
  });

  it('of 10 GB costs no more than what is allowed: reading stops there, and memory stays flat', async () => {
    const chunk = Buffer.alloc(65_536, 'x');
    let written = 0;
    const url = await outside.rawHost('endless.example', (socket) => {
      const pour = () => {
        while (written < 10_000_000_000 && !socket.destroyed) {
          written += chunk.length;
          if (!socket.write(chunk)) return;
        }
      };
      socket
        .on('error', () => undefined)
        .on('drain', pour)
        .once('data', () => {
          socket.write(`${OK}\r\n`);
          pour();
        });
    });
    const before = process.memoryUsage.rss();
    for (let time = 0; time < 20; time += 1)
      expect(await send(url)).toMatchObject({ refusal: 'too_large', sent: true });
    // What is read ahead into buffers of sockets and TLS comes on top of the million bytes allowed.
    expect(written / 20).toBeLessThan(12_000_000);
    expect(process.memoryUsage.rss() - before).toBeLessThan(150_000_000);
    expectNoSocketLeft();
  });

  it.each([
    ['one header of 17 kB', `${OK}X-Large: ${'x'.repeat(17_000)}\r\n\r\n`],
    ['a thousand headers', `${OK}${'X-Header: some value\r\n'.repeat(1_000)}\r\n`],
    ['headers without end', `${OK}${'X-Header: some value\r\n'.repeat(100_000)}`],
    ['trailers without end', `${OK}Transfer-Encoding: chunked\r\n\r\n0\r\n${'X-Trailer: value\r\n'.repeat(100_000)}`],
  ])('is refused for %s', async (_, answer) => {
    expect(await send(await saying(answer))).toMatchObject({ refusal: 'too_large', sent: true });
    expectNoSocketLeft();
  });
});

describe('an answer that is encoded', () => {
  const bomb = gzipSync(Buffer.alloc(10_000_000));

  it.each(['gzip', 'GZIP', 'br', 'deflate', 'zstd', 'x-gzip', 'gzip, gzip', 'identity, gzip', 'unknown'])(
    'as %s is refused unread',
    async (coding) => {
      const url = await saying(`${OK}Content-Encoding: ${coding}\r\nContent-Length: ${bomb.length}\r\n\r\n`, bomb);
      expect(await send(url)).toMatchObject({ refusal: 'encoded', sent: true });
      expectNoSocketLeft();
    },
  );

  it('in its transfer is refused', async () => {
    const url = await saying(`${OK}Transfer-Encoding: gzip, chunked\r\n\r\n`);
    expect(await send(url)).toMatchObject({ refusal: 'encoded', sent: true });
  });

  it('in two headers is refused', async () => {
    const url = await saying(`${OK}Content-Encoding: identity\r\nContent-Encoding: gzip\r\n\r\n`, bomb);
    expect(await send(url)).toMatchObject({ refusal: 'encoded', sent: true });
  });

  it('as identity is none', async () => {
    const url = await saying(`${OK}Content-Encoding: identity\r\nContent-Length: 4\r\n\r\nbody`);
    expect(await send(url)).toMatchObject({ status: 200 });
  });

  it('is handed over as it came where its coding is not said', async () => {
    const url = await saying(`${OK}Content-Length: ${bomb.length}\r\n\r\n`, bomb);
    const result = await send(url);
    expect('body' in result && result.body.equals(bomb)).toBe(true);
  });
});

describe('an answer that is no HTTP', () => {
  it.each<[string, string]>([
    ['another protocol', 'SSH-2.0-OpenSSH_9.9\r\n'],
    ['two lengths', `${OK}Content-Length: 4\r\nContent-Length: 5\r\n\r\nbody!`],
    ['a length and chunks', `${OK}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['a header with a line feed', `${OK}X-A: b\n c\r\n d: e\r\n\r\n`],
    ['a protocol switch', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n'],
    ['an interim 100 that was not asked for', 'HTTP/1.1 100 Continue\r\n\r\n'],
  ])('is a failure after the request: %s', async (_, answer) => {
    expect(await send(await saying(answer))).toMatchObject({ refusal: 'unreachable', sent: true });
    expectNoSocketLeft();
  });

  it('is a failure where it ends before its announced length', async () => {
    const url = await outside.rawHost('cut.example', (socket) => {
      socket.on('error', () => undefined).once('data', () => socket.end(`${OK}Content-Length: 100\r\n\r\nsome`));
    });
    expect(await send(url)).toMatchObject({ refusal: 'unreachable', sent: true });
  });
});

describe('an answer without a body', () => {
  it('may announce any length', async () => {
    const announced = 'Content-Length: 10000000000\r\n\r\n';
    expect(await send(await saying(`${OK}${announced}`), { method: 'HEAD' })).toMatchObject({ status: 200 });
    expect(await send(await saying(`HTTP/1.1 304 Not Modified\r\n${announced}`))).toMatchObject({ status: 304 });
  });
});
