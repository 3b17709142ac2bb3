import { expect, it } from '@jest/globals';
import { COMPLETE, configOf, expectRefusal, without } from '../../test/support/configurations.ts';
import { fileWith } from '../../test/support/folders.ts';
import { readSettings } from './index.ts';

it.each([
  ['OBJECT_STORE_S3_BUCKET', 'ab'],
  ['OBJECT_STORE_S3_BUCKET', 'My_Bucket'],
  ['OBJECT_STORE_S3_ENDPOINT', 's3.internal'],
  ['OBJECT_STORE_S3_REGION', 'Frankfurt am Main'],
  ['OBJECT_STORE_S3_PREFIX', 'Mine'],
  ['OBJECT_STORE_S3_PREFIX', '/'],
  ['OBJECT_STORE_S3_PREFIX', 'a//b'],
  ['OBJECT_STORE_S3_PREFIX', '../a'],
  ['OBJECT_STORE_S3_PATH_STYLE', 'maybe'],
  ['OBJECT_STORE_S3_ACCESS_KEY_ID', 'minioadmin'],
  ['OBJECT_STORE_S3_ACCESS_KEY_ID', 'with spaces'],
  ['OBJECT_STORE_S3_SECRET_ACCESS_KEY', 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'],
])('refuses %s=%s in one line that names it', expectRefusal);

it('keeps bytes in a bucket where it is given one', () => {
  expect(configOf(COMPLETE).objectStoreS3).toBeUndefined();
  expect(configOf({ ...COMPLETE, OBJECT_STORE_S3_BUCKET: 'bytes', OBJECT_STORE_S3_REGION: 'eu-central-1' })).toEqual(
    expect.objectContaining({
      objectStoreS3: {
        bucket: 'bytes',
        region: 'eu-central-1',
        endpoint: undefined,
        pathStyle: false,
        prefix: '',
        credentials: undefined,
      },
    }),
  );
  const elsewhere = {
    ...COMPLETE,
    OBJECT_STORE_S3_BUCKET: 'bytes',
    OBJECT_STORE_S3_ENDPOINT: 'http://minio:9000/',
    OBJECT_STORE_S3_PREFIX: '/deep/one/',
    OBJECT_STORE_S3_ACCESS_KEY_ID: 'key',
    OBJECT_STORE_S3_SECRET_ACCESS_KEY_FILE: fileWith('hunter2\n'),
  };
  expect(configOf(elsewhere).objectStoreS3).toEqual({
    bucket: 'bytes',
    region: 'us-east-1',
    endpoint: 'http://minio:9000',
    pathStyle: true,
    prefix: 'deep/one',
    credentials: { accessKeyId: 'key', secretAccessKey: 'hunter2' },
  });
  expect(configOf({ ...elsewhere, OBJECT_STORE_S3_PATH_STYLE: 'off' }).objectStoreS3!.pathStyle).toBe(false);
});

it.each<[string, Record<string, string>]>([
  ['OBJECT_STORE_S3_ENDPOINT', { OBJECT_STORE_S3_ENDPOINT: 'http://minio:9000' }],
  ['OBJECT_STORE_S3_PATH_STYLE', { OBJECT_STORE_S3_PATH_STYLE: 'off' }],
  ['OBJECT_STORE_S3_REGION', { OBJECT_STORE_S3_BUCKET: 'bytes' }],
  ['OBJECT_STORE_DIR', { OBJECT_STORE_S3_BUCKET: 'bytes', OBJECT_STORE_S3_REGION: 'x1', OBJECT_STORE_DIR: 'objects' }],
  [
    'OBJECT_STORE_S3_SECRET_ACCESS_KEY',
    { OBJECT_STORE_S3_BUCKET: 'bytes', OBJECT_STORE_S3_REGION: 'x1', OBJECT_STORE_S3_ACCESS_KEY_ID: 'key' },
  ],
  [
    'OBJECT_STORE_S3_ACCESS_KEY_ID',
    { OBJECT_STORE_S3_BUCKET: 'bytes', OBJECT_STORE_S3_REGION: 'x1', OBJECT_STORE_S3_SECRET_ACCESS_KEY: 'hunter2' },
  ],
])('refuses a store that is only half described, naming %s', (name, env) => {
  expect(() => readSettings(env)).toThrow(new RegExp(`^${name}: [^\n]+$`));
  expect(() => readSettings(env)).toThrow(without('hunter2'));
});
