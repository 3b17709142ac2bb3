import { describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { ApiError } from '../errors/index.ts';
import { answerOf, startRefusal, unlessAbsent } from './s3-errors.ts';

Logger.overrideLogger(false);

const failure = (name: string, httpStatusCode?: number, code?: string) =>
  Object.assign(new Error('CANARY of the store'), { name, code, $metadata: { httpStatusCode } });

describe('startRefusal', () => {
  it.each([
    [failure('NoSuchBucket', 404), 'BUCKET: names a bucket that does not exist; create it'],
    [
      failure('AccessDenied', 403),
      'BUCKET: may not be written to with the access key that is used; grant it write access',
    ],
    [failure('InvalidAccessKeyId', 403), 'ACCESS_KEY_ID: is not known to the store'],
    [failure('SignatureDoesNotMatch', 403), 'SECRET_ACCESS_KEY: does not belong to the access key'],
    [
      failure('CredentialsProviderError'),
      'ACCESS_KEY_ID: is required, because this machine has no credentials of its own',
    ],
    [failure('PermanentRedirect', 301), 'REGION: is not the region of the bucket'],
    [failure('Error', undefined, 'ECONNREFUSED'), 'ENDPOINT: cannot be reached (ECONNREFUSED)'],
    [failure('TimeoutError'), 'ENDPOINT: cannot be reached (TimeoutError)'],
    [failure('NotImplemented', 501), 'ENDPOINT: gives an unexpected answer (501 NotImplemented)'],
  ])('%s', (error, message) => {
    expect(startRefusal(error, 'https://s3.internal').message).toBe(`OBJECT_STORE_S3_${message}`);
  });

  it('looks at the region where the address follows from it', () => {
    const { message } = startRefusal(failure('Error', undefined, 'ENOTFOUND'), undefined);
    expect(message).toBe('OBJECT_STORE_S3_REGION: cannot be reached (ENOTFOUND)');
  });
});

describe('answerOf', () => {
  it.each([
    failure('InternalError', 500),
    failure('SlowDown', 503),
    failure('TooManyRequests', 429),
    failure('Error', undefined, 'ECONNRESET'),
    failure('AccessDenied', 403),
    failure('InvalidAccessKeyId', 403),
    failure('NoSuchBucket', 404),
    failure('ExpiredToken', 400),
    failure('XMinioStorageFull', 507),
    failure('PermanentRedirect', 301),
  ])('makes 503 of $name, and keeps why', async (trouble) => {
    const refused = answerOf(Promise.reject(trouble));
    await expect(refused).rejects.toBeInstanceOf(ApiError);
    await expect(refused).rejects.toMatchObject({
      row: { status: 503 },
      headers: { 'Retry-After': '5' },
      cause: trouble,
    });
  });

  it('lets pass what the store has to say', async () => {
    for (const error of [failure('NoSuchKey', 404), failure('NotFound', 404), failure('InvalidRange', 416)])
      await expect(answerOf(Promise.reject(error))).rejects.toBe(error);
  });
});

describe('unlessAbsent', () => {
  it.each(['NoSuchKey', 'NoSuchUpload', 'NotFound'])('is undefined for %s', async (name) => {
    expect(await unlessAbsent(Promise.reject(failure(name, 404)))).toBeUndefined();
  });

  it('is no excuse for a bucket that is gone', async () => {
    await expect(unlessAbsent(Promise.reject(failure('NoSuchBucket', 404)))).rejects.toThrow();
  });
});
