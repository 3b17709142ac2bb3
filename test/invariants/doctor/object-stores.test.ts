import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { faults, findings, NOWHERE } from '../../support/doctor.ts';
import { fileWith } from '../../support/folders.ts';
import { useListeners } from '../../support/peers/listeners.ts';
import { S3Peer } from '../../support/peers/s3-peer.ts';
import { onDatabase } from '../../support/processes/service-process.ts';

/** For a folder in its place. */
const NO_BUCKET = Object.fromEntries(
  ['BUCKET', 'ENDPOINT', 'ACCESS_KEY_ID', 'SECRET_ACCESS_KEY'].map((name) => [`OBJECT_STORE_S3_${name}`, '']),
);
const file = fileWith('no folder');
const listeners = useListeners();

describe('an object store that is wrong', () => {
  let peer: S3Peer;
  beforeAll(async () => {
    peer = await S3Peer.start();
  });
  afterAll(() => peer.stop());

  it('is not a bucket that takes everything, in which nothing is left', async () => {
    const env = await peer.environment();
    expect(await findings(onDatabase(NOWHERE, env))).toContainEqual(
      expect.stringMatching(/^ok OBJECT_STORE_S3_BUCKET: bucket-\S+ takes, returns, lists and removes objects$/),
    );
    expect(await peer.keys(env.OBJECT_STORE_S3_BUCKET!)).toEqual([]);
    expect(await peer.uploads(env.OBJECT_STORE_S3_BUCKET!)).toEqual([]);
  });

  it.each<[string, () => Promise<Record<string, string>>, RegExp]>([
    [
      'the bucket does not exist',
      async () => ({ OBJECT_STORE_S3_BUCKET: 'no-such-bucket' }),
      /^FAIL OBJECT_STORE_S3_BUCKET: names a bucket that does not exist/,
    ],
    [
      'the access key is another',
      async () => ({ OBJECT_STORE_S3_ACCESS_KEY_ID: 'CANARY-other' }),
      /^FAIL OBJECT_STORE_S3_ACCESS_KEY_ID: is not known to the store/,
    ],
    [
      'nobody answers',
      async () => ({ OBJECT_STORE_S3_ENDPOINT: 'http://127.0.0.1:1' }),
      /^FAIL OBJECT_STORE_S3_ENDPOINT: cannot be reached \(\w+\)/,
    ],
    [
      'it accepts and is silent',
      async () => ({ OBJECT_STORE_S3_ENDPOINT: `http://127.0.0.1:${await listeners.silent()}` }),
      /^FAIL OBJECT_STORE_S3_ENDPOINT: does not answer/,
    ],
    [
      'another program answers',
      async () => ({
        OBJECT_STORE_S3_ENDPOINT: `http://127.0.0.1:${await listeners.listen((socket) => socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n'))}`,
      }),
      /^FAIL OBJECT_STORE_S3_ENDPOINT: gives an unexpected answer \(404/,
    ],
    [
      'the folder is a file',
      async () => ({ ...NO_BUCKET, OBJECT_STORE_DIR: file }),
      /^FAIL OBJECT_STORE_DIR: \S+ is not a writable folder \((ENOTDIR|EEXIST)\)/,
    ],
    [
      'the folder would be below a file',
      async () => ({ ...NO_BUCKET, OBJECT_STORE_DIR: join(file, 'below') }),
      /^FAIL OBJECT_STORE_DIR: \S+ is not a writable folder \(ENOTDIR\)/,
    ],
    [
      'the file system lets nobody write',
      async () => ({ ...NO_BUCKET, OBJECT_STORE_DIR: '/proc/self' }),
      /^FAIL OBJECT_STORE_DIR: \/proc\/self is not a writable folder \(\w+\)/,
    ],
  ])('is named: %s', async (_, env, wanted) => {
    const sound = await peer.environment();
    const found = await faults(onDatabase(NOWHERE, { ...sound, ...(await env()) }));
    expect(found).toContainEqual(expect.stringMatching(wanted));
  });
});
