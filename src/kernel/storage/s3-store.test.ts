import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { ACCESS_KEY, S3Peer } from '../../../test/support/peers/s3-peer.ts';
import type { S3Config } from '../../config/index.ts';
import { Clock } from '../clock/index.ts';
import { S3Store } from './s3-store.ts';
import { S3Upload } from './s3-upload.ts';

// What every store promises stands in `object-store.test.ts`.

const peer = await S3Peer.start();
afterAll(() => peer.stop());

Logger.overrideLogger(false);

const MIB = 1024 * 1024;
const LIMIT = { maxBytes: 50 * MIB };

class TurnedClock extends Clock {
  nowMs = 0;

  override monotonicMs(): number {
    return this.nowMs;
  }
}

let config: S3Config;
let store: S3Store;
const clock = new TurnedClock();
beforeEach(async () => {
  config = await peer.bucket();
  store = await start();
});
afterEach(() => void jest.restoreAllMocks());

async function start(changes: Partial<S3Config> = {}): Promise<S3Store> {
  const started = new S3Store({ ...config, ...changes }, clock);
  await started.onModuleInit();
  return started;
}

const put = (key: string, text: string, into = store) => into.put(key, Readable.from([Buffer.from(text)]), LIMIT);

async function keysUnder(prefix: string, of = store): Promise<string[]> {
  const keys = [];
  for await (const { key } of of.list(prefix)) keys.push(key);
  return keys;
}

const servers: Server[] = [];
afterAll(() => servers.forEach((server) => server.close().closeAllConnections()));

/** A store at an address where only this answers. */
async function answering(listener: RequestListener): Promise<S3Store> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.push(server);
  const { port } = server.address() as AddressInfo;
  return new S3Store({ ...config, endpoint: `http://127.0.0.1:${port}` }, clock);
}

describe('a prefix', () => {
  it('stands before every key, and nothing outside is seen or removed', async () => {
    const prefixed = await start({ prefix: 'deep/one' });
    await put('a/b', 'mine', prefixed);
    await put('a/b', 'another');
    await put('deep/one-not/a/b', 'another');
    expect(await peer.keys(config.bucket)).toEqual(['a/b', 'deep/one-not/a/b', 'deep/one/a/b']);
    expect(await keysUnder('a', prefixed)).toEqual(['a/b']);
    await prefixed.deletePrefix('a');
    expect(await peer.keys(config.bucket)).toEqual(['a/b', 'deep/one-not/a/b']);
  });
});

describe('more keys than one page has', () => {
  it('are listed and removed', async () => {
    const keys = Array.from({ length: 1_050 }, (_, index) => `many/${String(index).padStart(4, '0')}`);
    await Promise.all(keys.map((key) => put(key, 'x')));
    await put('other', 'x');
    expect(await keysUnder('many')).toEqual(keys);
    await store.deletePrefix('many');
    expect(await peer.keys(config.bucket)).toEqual(['other']);
  });
});

describe('a start', () => {
  /** An upload as a process that died leaves it. */
  async function leave(Key: string): Promise<void> {
    const upload = new S3Upload(store['client'], { Bucket: config.bucket, Key });
    await upload.add(Buffer.alloc(6 * MIB));
  }

  it('aborts what a process that died left half-sent, and not what one may be sending', async () => {
    await leave('some/old');
    const anHourLater = Date.now() + 61 * 60 * 1000;
    await start();
    expect(await peer.uploads(config.bucket)).toEqual(['some/old']);
    jest.spyOn(Date, 'now').mockReturnValue(anHourLater);
    await start();
    expect(await peer.uploads(config.bucket)).toEqual([]);
  });

  it('leaves alone what is not its own', async () => {
    for (const key of ['Backups of Others', 'beside/x', 'mine/x']) await leave(key);
    jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 61 * 60 * 1000);
    await start({ prefix: 'mine' });
    expect(await peer.uploads(config.bucket)).toEqual(['Backups%20of%20Others', 'beside/x']);
  });

  it.each<[string, Partial<S3Config>, string]>([
    ['an unknown bucket', { bucket: 'no-such-bucket' }, 'BUCKET: names a bucket that does not exist; create it'],
    [
      'an unknown access key',
      { credentials: { accessKeyId: 'another', secretAccessKey: ACCESS_KEY.secret } },
      'ACCESS_KEY_ID: is not known to the store',
    ],
    ['an address where nobody is', { endpoint: 'http://127.0.0.1:1' }, 'ENDPOINT: cannot be reached ('],
  ])('with %s is refused, naming the variable', async (_, changes, message) => {
    await expect(start(changes)).rejects.toThrow(`OBJECT_STORE_S3_${message}`);
  });

  it('does not need to see uploads of parts', async () => {
    const blind = await answering((request, response) => {
      const begins = request.method === 'POST';
      response.writeHead(begins ? 200 : request.method === 'DELETE' ? 204 : 501);
      response.end(
        begins ? '<InitiateMultipartUploadResult><UploadId>1</UploadId></InitiateMultipartUploadResult>' : '',
      );
    });
    await blind.onModuleInit();
  });
});

describe('check', () => {
  it('holds for five seconds, so that whoever asks often costs nothing', async () => {
    await store.check();
    await peer.removeBucket(config.bucket);
    clock.nowMs += 4_999;
    await store.check();
    clock.nowMs += 1;
    await expect(store.check()).rejects.toThrow();
  });
});

describe('a store that does not answer as it should', () => {
  it('503 while it is overloaded', async () => {
    const busy = await answering((_, response) => response.writeHead(503).end());
    const works = [
      () => put('a', 'x', busy),
      () => busy.open('a'),
      () => busy.stat('a'),
      () => busy.delete('a'),
      () => busy.deletePrefix('a'),
    ];
    for (const work of works) await expect(work()).rejects.toMatchObject({ row: { status: 503 } });
  });

  it('aborts the parts when the last step fails, and says why even where that fails too', async () => {
    const seen: string[] = [];
    const failing = await answering((request, response) => {
      const { searchParams } = new URL(request.url!, 'http://store');
      const step = `${request.method} ${[...searchParams.keys()].filter((name) => name !== 'x-id').join()}`;
      seen.push(step);
      request.resume().on('end', () => {
        if (step === 'POST uploads')
          response.end('<InitiateMultipartUploadResult><UploadId>1</UploadId></InitiateMultipartUploadResult>');
        else if (step === 'PUT partNumber,uploadId') response.setHeader('ETag', '"1"').end();
        else response.writeHead(403).end('<Error><Code>AccessDenied</Code></Error>');
      });
    });
    const large = Readable.from([Buffer.alloc(6 * MIB)]);
    await expect(failing.put('a', large, LIMIT)).rejects.toMatchObject({ cause: { name: 'AccessDenied' } });
    expect(seen).toEqual([
      'POST uploads',
      'PUT partNumber,uploadId',
      'PUT partNumber,uploadId',
      'POST uploadId',
      'DELETE uploadId',
    ]);
  });

  it('does not take the whole for a range', async () => {
    const deaf = await answering((_, response) => response.end('0123456789'));
    await expect(deaf.open('a', { start: 2, end: 4 })).rejects.toThrow(/has no length/);
  });

  it('breaks off what it breaks off', async () => {
    const dying = await answering((_, response) => {
      response.writeHead(200, { 'content-length': '10' });
      response.write('01234', () => response.destroy());
    });
    const opened = await dying.open('a');
    await expect(text(opened!.stream)).rejects.toMatchObject({ code: 'ECONNRESET' });
  });
});
