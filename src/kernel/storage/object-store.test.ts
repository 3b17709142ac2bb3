import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { S3Peer } from '../../../test/support/peers/s3-peer.ts';
import { folderPlace, HELD_BYTES, s3Place, type StorePlace } from '../../../test/support/peers/stores.ts';
import { until } from '../../../test/support/until.ts';
import type { ByteRange, UploadLimits } from './object-store.ts';

const peer = await S3Peer.start();
afterAll(() => peer.stop());

const MIB = 1024 * 1024;
const LIMIT = { maxBytes: 50 * MIB };
const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex');
const failure = new Error('expected by the test');

/** So many pieces, and then what the test wants to happen. */
function source(pieces: number, pieceBytes: number, atEnd: () => void = () => undefined): Readable {
  const piece = Buffer.alloc(pieceBytes);
  return Readable.from(
    (async function* () {
      for (let given = 0; given < pieces; given += 1) yield piece;
      atEnd();
    })(),
    { highWaterMark: 2 },
  );
}

describe.each([
  { name: 'FolderStore', open: folderPlace, heldBytes: HELD_BYTES.folder },
  { name: 'S3Store', open: () => s3Place(peer), heldBytes: HELD_BYTES.s3 },
])('$name', ({ open, heldBytes }) => {
  let place: StorePlace;
  beforeEach(async () => {
    place = await open();
  });

  const put = (key: string, bytes: string | Buffer, limits: Partial<UploadLimits> = {}) =>
    place.store.put(key, Readable.from([Buffer.from(bytes)]), { ...LIMIT, ...limits });
  const bytesOf = async (key: string, range?: ByteRange) => {
    const opened = await place.store.open(key, range);
    return opened && (await buffer(opened.stream));
  };
  const textOf = async (key: string, range?: ByteRange) => (await bytesOf(key, range))?.toString();
  const keysUnder = async (prefix: string) => {
    const keys = [];
    for await (const { key } of place.store.list(prefix)) keys.push(key);
    return keys.sort();
  };

  describe('put', () => {
    it('keeps what came under its key, and says size and digest', async () => {
      expect(await put('a/b', 'hello')).toEqual({ sizeBytes: 5, sha256: sha256('hello') });
      expect([await textOf('a/b'), await place.store.stat('a/b')]).toEqual(['hello', { sizeBytes: 5 }]);
      expect(await place.things()).toEqual(['a/b']);
    });

    it('keeps nothing as well as something', async () => {
      await put('empty', '');
      expect([await textOf('empty'), await place.store.stat('empty')]).toEqual(['', { sizeBytes: 0 }]);
    });

    it.each([5 * MIB - 1, 5 * MIB, 5 * MIB + 1, 12 * MIB])('keeps %i bytes as they came', async (size) => {
      const bytes = randomBytes(size);
      expect(await put('a', bytes, { sha256: sha256(bytes) })).toEqual({ sizeBytes: size, sha256: sha256(bytes) });
      expect((await bytesOf('a'))!.equals(bytes)).toBe(true);
      expect(await place.things()).toEqual(['a']);
    });

    it('takes the same key again, and leaves a reader what it has opened', async () => {
      await put('a', 'first');
      const before = await place.store.open('a');
      await put('a', 'second');
      expect((await buffer(before!.stream)).toString()).toBe('first');
      expect([await textOf('a'), await place.things()]).toEqual(['second', ['a']]);
    });

    it('lets many write one key at once, and one of them wins', async () => {
      const texts = Array.from({ length: 20 }, (_, index) => String(index).repeat(1_000));
      await Promise.all(texts.map((text) => put('contested/key', text)));
      expect(texts).toContain(await textOf('contested/key'));
      expect(await place.things()).toEqual(['contested/key']);
    });

    it('takes as much as the limit, and no byte more', async () => {
      await put('most', 'x'.repeat(100), { maxBytes: 100 });
      await expect(put('more', 'x'.repeat(101), { maxBytes: 100 })).rejects.toMatchObject({
        row: { status: 413, code: 'payload_too_large' },
      });
      const tooLarge = { status: 413, code: 'a_code_of_its_own', message: 'It is too large.' };
      await expect(put('more', 'x'.repeat(101), { maxBytes: 100, tooLarge })).rejects.toMatchObject({ row: tooLarge });
      expect(await place.things()).toEqual(['most']);
    });

    it('takes 50 MiB, and no byte more', async () => {
      expect(await place.store.put('most', source(50, MIB), LIMIT)).toMatchObject({ sizeBytes: 50 * MIB });
      const over = Readable.from([...Array.from({ length: 50 }, () => Buffer.alloc(MIB)), Buffer.alloc(1)]);
      await expect(place.store.put('more', over, LIMIT)).rejects.toMatchObject({ row: { status: 413 } });
      expect([await place.things(), await place.store.stat('most')]).toEqual([['most'], { sizeBytes: 50 * MIB }]);
    });

    it.each([10, 12 * MIB])('refuses another digest of %i bytes and keeps what was there', async (size) => {
      await put('a', 'first', { sha256: sha256('first') });
      await expect(put('a', Buffer.alloc(size), { sha256: sha256('first') })).rejects.toMatchObject({
        row: { status: 400 },
        issues: [{ path: 'sha256', code: 'digest_mismatch', message: expect.any(String) }],
      });
      expect([await textOf('a'), await place.things()]).toEqual(['first', ['a']]);
    });

    it.each([1, 12])('leaves nothing of a source that breaks off after %i MiB', async (pieces) => {
      const broken = source(pieces, MIB, () => {
        throw failure;
      });
      await expect(place.store.put('a', broken, LIMIT)).rejects.toBe(failure);
      expect([await place.things(), await textOf('a')]).toEqual([[], undefined]);
    });

    it('leaves nothing of a source that goes away while it stands still', async () => {
      const stalled = new Readable({ read: () => undefined });
      for (let piece = 0; piece < 12; piece += 1) stalled.push(Buffer.alloc(MIB));
      const upload = place.store.put('a', stalled, LIMIT);
      await until('some of it is written', async () => (await place.writtenBytes()) >= 10 * MIB);
      expect(await place.things()).toEqual(['<draft>']);
      stalled.destroy(failure);
      await expect(upload).rejects.toBe(failure);
      expect([await place.things(), await textOf('a')]).toEqual([[], undefined]);
    });

    it('reads and drops the rest of what it refuses', async () => {
      let ended = false;
      const large = source(50, 1_000, () => void (ended = true));
      await expect(place.store.put('a', large, { maxBytes: 1_500 })).rejects.toMatchObject({ row: { status: 413 } });
      await until('the source is read to its end', () => ended);
    });

    it('is not brought down by what fails after the refusal', async () => {
      const large = source(50, 1_000, () => {
        throw failure;
      });
      await expect(place.store.put('a', large, { maxBytes: 1_500 })).rejects.toMatchObject({ row: { status: 413 } });
      await until('the source has failed', () => large.errored === failure);
    });

    it('holds no more than a few pieces of what it is given, and what it has to send together', async () => {
      const pieceBytes = 100_000;
      let most = 0;
      const observed = Readable.from(
        (async function* () {
          for (let given = 0; given < 150; given += 1) {
            most = Math.max(most, given * pieceBytes - (await place.writtenBytes()));
            yield Buffer.alloc(pieceBytes);
          }
        })(),
        { highWaterMark: 2 },
      );
      await place.store.put('a', observed, LIMIT);
      expect(most).toBeLessThanOrEqual(heldBytes + 4 * pieceBytes);
    });
  });

  describe('open', () => {
    it('gives a range and the size of the whole', async () => {
      await put('a', '0123456789');
      expect(await textOf('a', { start: 2, end: 4 })).toBe('234');
      const opened = await place.store.open('a', { start: 9, end: 9 });
      expect([opened!.sizeBytes, (await buffer(opened!.stream)).toString()]).toEqual([10, '9']);
    });

    it('gives a range of what was large', async () => {
      const bytes = randomBytes(12 * MIB);
      await put('a', bytes);
      const range = { start: 5 * MIB - 3, end: 10 * MIB + 3 };
      expect((await bytesOf('a', range))!.equals(bytes.subarray(range.start, range.end + 1))).toBe(true);
    });

    it('lets go of what nobody reads to its end', async () => {
      await put('a', Buffer.alloc(12 * MIB));
      for (let time = 0; time < 60; time += 1) (await place.store.open('a'))!.stream.destroy();
      expect((await bytesOf('a'))!.length).toBe(12 * MIB);
    });

    it('finds nothing where there is nothing, or only a folder, or a file on the way', async () => {
      await put('a/b', 'x');
      for (const key of ['c', 'a', 'a/b/c'])
        expect([await place.store.open(key), await place.store.stat(key)]).toEqual([undefined, undefined]);
      expect(await place.store.open('c', { start: 1, end: 2 })).toBeUndefined();
    });
  });

  describe('removing', () => {
    it('takes one object, once or twice', async () => {
      await put('a/b', 'x');
      await put('a/c', 'y');
      await place.store.delete('a/b');
      await place.store.delete('a/b');
      expect(await place.things()).toEqual(['a/c']);
    });

    it('takes all under a prefix, and not what only begins alike', async () => {
      for (const key of ['org/1/a', 'org/1/b/c', 'org/10/a', 'org/2']) await put(key, 'x');
      await place.store.deletePrefix('org/1');
      await place.store.deletePrefix('org/1');
      await place.store.deletePrefix('org/2');
      expect(await place.things()).toEqual(['org/10/a', 'org/2']);
    });

    it('does not fail an upload that runs into it', async () => {
      const uploads = Array.from({ length: 200 }, (_, index) => put(`org/1/run-${index}/file`, 'x'));
      const removals = Array.from({ length: 20 }, () => place.store.deletePrefix('org/1'));
      await Promise.all([...uploads, ...removals]);
      await place.store.deletePrefix('org/1');
      expect(await place.things()).toEqual([]);
    });
  });

  describe('list', () => {
    it('names what is under a prefix, and when it came', async () => {
      const before = Date.now() - 1_000;
      for (const key of ['marks/a', 'marks/b/c', 'marks-not', 'other']) await put(key, 'x');
      expect(await keysUnder('marks')).toEqual(['marks/a', 'marks/b/c']);
      expect(await keysUnder('nothing')).toEqual([]);
      for await (const { storedAt } of place.store.list('marks')) expect(storedAt.getTime()).toBeGreaterThan(before);
    });
  });

  describe('check', () => {
    it('leaves nothing', async () => {
      await place.store.check();
      expect(await place.things()).toEqual([]);
    });

    it('rejects where nothing can be stored', async () => {
      await place.ruin();
      await expect(place.store.check()).rejects.toThrow();
    });
  });

  it.each(['', '..', 'a/../../b', '/etc/passwd', '.incoming/a', '.probe', 'a//b'])(
    'refuses the key %j everywhere',
    async (key) => {
      const refusal = /^Not a key of the object store/;
      await expect(put(key, 'x')).rejects.toThrow(refusal);
      await expect(place.store.open(key)).rejects.toThrow(refusal);
      await expect(place.store.stat(key)).rejects.toThrow(refusal);
      await expect(place.store.delete(key)).rejects.toThrow(refusal);
      await expect(place.store.deletePrefix(key)).rejects.toThrow(refusal);
      await expect(keysUnder(key)).rejects.toThrow(refusal);
    },
  );
});
