import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { until } from '../../../test/support/until.ts';
import { ApiError } from '../errors/index.ts';
import { asDeclared, MEDIA_TYPES, mediaTypeOf, type MediaType } from './index.ts';

const REFUSAL = { status: 415, code: 'a_code_of_the_family', message: 'The file cannot be taken.' };
const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const PPTX = 'application/vnd.openxmlformats-officedocument.presentationml.presentation';
const ODS = 'application/vnd.oasis.opendocument.spreadsheet';

/** Files as the usual programs and libraries write them. */
const file = (name: string) => readFileSync(new URL(`../../../test/fixtures/media-types/${name}`, import.meta.url));
const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');

/** In pieces of so many bytes. */
function pieces(bytes: Buffer, pieceBytes: number): Readable {
  return Readable.from(
    (function* () {
      for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
    })(),
  );
}

const passed = (bytes: Buffer, mediaType: MediaType, pieceBytes = 64 * 1024) =>
  buffer(asDeclared(pieces(bytes, pieceBytes), mediaType, REFUSAL));

const mismatch = {
  row: REFUSAL,
  issues: [{ path: 'mediaType', code: 'media_type_mismatch', message: expect.any(String) }],
};

describe('mediaTypeOf', () => {
  it.each([
    ['text/plain', 'text/plain'],
    ['Text/CSV; charset=utf-8', 'text/csv'],
    [' image/PNG ', 'image/png'],
    ['application/x-zip-compressed', 'application/zip'],
    ['image/jpg', 'image/jpeg'],
    ['Image/PJPEG', 'image/jpeg'],
    ['text/x-markdown; charset=utf-8', 'text/markdown'],
    ['application/csv;header=present', 'text/csv'],
    ['text/x-csv', 'text/csv'],
    ['application/x-pdf', 'application/pdf'],
    ['text/json', 'application/json'],
    ['application/msexcel', 'application/vnd.ms-excel'],
  ])('takes %s', (declared, plain) => expect(mediaTypeOf(declared, REFUSAL)).toBe(plain));

  it.each(['', 'text/html', 'image/svg+xml', 'application/octet-stream', 'text', 'toString', '__proto__'])(
    'refuses %j as the family says',
    (declared) => {
      expect(() => mediaTypeOf(declared, REFUSAL)).toThrow(ApiError);
      expect(() => mediaTypeOf(declared, REFUSAL)).toThrow(
        expect.objectContaining({
          row: REFUSAL,
          issues: [expect.objectContaining({ code: 'media_type_not_accepted' })],
        }),
      );
    },
  );
});

describe('asDeclared', () => {
  it.each<[string, MediaType]>([
    ['square.png', 'image/png'],
    ['square.jpeg', 'image/jpeg'],
    ['square.gif', 'image/gif'],
    ['square.webp', 'image/webp'],
    ['square.avif', 'image/avif'],
    ['square.tiff', 'image/tiff'],
    ['page.pdf', 'application/pdf'],
    ['report.docx', DOCX],
    ['orders.xlsx', XLSX],
    ['talk.pptx', PPTX],
    ['orders.ods', ODS],
    ['orders.xls', 'application/vnd.ms-excel'],
    ['files.zip', 'application/zip'],
    // An archive all the same, and a document behind a password.
    ['report.docx', 'application/zip'],
    ['orders.xls', XLSX],
  ])('passes on %s as %s, and refuses it as anything else that it is not', async (name, mediaType) => {
    const bytes = file(name);
    for (const pieceBytes of [7, 64 * 1024])
      expect((await passed(bytes, mediaType, pieceBytes)).equals(bytes)).toBe(true);
    for (const other of ['image/png', 'application/pdf', 'text/plain', 'application/json', 'image/heic'] as const)
      if (other !== mediaType) await expect(passed(bytes, other)).rejects.toMatchObject(mismatch);
  });

  it.each<[string, MediaType[]]>([
    ['report.docx', [XLSX, PPTX, ODS]],
    ['orders.xlsx', [DOCX, PPTX, ODS]],
    ['orders.ods', [DOCX, 'application/vnd.oasis.opendocument.text']],
    ['square.png', ['image/jpeg', DOCX, 'application/zip']],
    ['page.pdf', [DOCX, 'application/msword', 'application/zip']],
  ])('tells %s from its likes', async (name, others) => {
    for (const other of others) await expect(passed(file(name), other)).rejects.toMatchObject(mismatch);
  });

  it('takes an archive for a document where it cannot tell', async () => {
    expect((await passed(file('files.zip'), DOCX)).length).toBeGreaterThan(0);
  });

  it.each<[string, Buffer, MediaType]>([
    ['nothing', Buffer.alloc(0), 'text/plain'],
    ['UTF-8', Buffer.from('Übersicht 📈\n'), 'text/markdown'],
    ['UTF-8 with its mark', Buffer.from('\ufeffKunde;Umsatz\n'), 'text/csv'],
    ['Latin-1', Buffer.from('Kunde;Umsatz\nMüller;1\n', 'latin1'), 'text/csv'],
    ['UTF-16, little end first', utf16('Kunde;Umsatz\n'), 'text/csv'],
    ['UTF-16, big end first', utf16('Kunde;Umsatz\n').swap16(), 'text/csv'],
    ['UTF-16 with a zero byte at a border', utf16('ĀA'), 'text/plain'],
    ['JSON', Buffer.from('{"a":[1,2]}'), 'application/json'],
    ['an image by its first word', Buffer.from('BMW sells cars.'), 'text/plain'],
    ['a program by its first word', Buffer.from('MZ is short for Mozart.'), 'text/plain'],
    ['what is said of PDF', Buffer.from('A PDF begins with %PDF-1.7'), 'text/markdown'],
  ])('takes for text: %s', async (_, bytes, mediaType) => {
    for (const pieceBytes of [1, 64 * 1024])
      expect((await passed(bytes, mediaType, pieceBytes)).equals(bytes)).toBe(true);
  });

  it.each<[string, Buffer]>([
    ['a NUL', Buffer.from('a\0b')],
    ['a NUL far behind the beginning', Buffer.concat([Buffer.alloc(100_000, 'x'), Buffer.alloc(1)])],
    ['a NUL in UTF-16', utf16('a\0b')],
    ['UTF-16 without its mark', Buffer.from('Kunde', 'utf16le')],
    ['UTF-32', Buffer.from([0xff, 0xfe, 0, 0, 0x41, 0, 0, 0])],
    ['a PDF that is all text', Buffer.from('%PDF-1.7\n1 0 obj\n')],
  ])('does not take for text: %s', async (_, bytes) => {
    for (const pieceBytes of [1_000, 3])
      await expect(passed(bytes, 'text/plain', pieceBytes)).rejects.toMatchObject(mismatch);
  });

  it('takes a PDF with something before its mark', async () => {
    await passed(Buffer.concat([Buffer.from('\r\n\r\n'), file('page.pdf')]), 'application/pdf');
    await expect(
      passed(Buffer.concat([Buffer.alloc(2_000, 'x'), file('page.pdf')]), 'application/pdf'),
    ).rejects.toThrow();
  });

  it.each(MEDIA_TYPES.filter((mediaType) => !/^text|json$/.test(mediaType)))(
    'refuses nothing, and text, as %s',
    async (mediaType) => {
      for (const bytes of [Buffer.alloc(0), Buffer.from('BMW sells cars.'), Buffer.from('PK is not enough')])
        await expect(passed(bytes, mediaType)).rejects.toMatchObject(mismatch);
    },
  );

  it.each<[string, Buffer]>([
    ['cut off', file('report.docx').subarray(0, 300)],
    ['with nonsense inside', Buffer.concat([file('report.docx').subarray(0, 100), Buffer.alloc(50_000, 0xff)])],
  ])('stumbles over nothing: an archive %s', async (_, bytes) => {
    expect((await passed(bytes, 'application/zip')).length).toBe(bytes.length);
  });

  it('holds no more than the beginning', async () => {
    let given = 0;
    let taken = 0;
    let most = 0;
    const source = Readable.from(
      (function* () {
        for (; given < 1_000; given += 1) {
          most = Math.max(most, given - taken);
          yield Buffer.alloc(1_000, 'x');
        }
      })(),
      { highWaterMark: 1 },
    );
    for await (const _ of asDeclared(source, 'text/plain', REFUSAL)) taken += 1;
    expect([taken, most < 25]).toEqual([1_000, true]);
  });

  it('reads and drops the rest of what it refuses', async () => {
    let ended = false;
    const source = Readable.from(
      (function* () {
        yield Buffer.from('a\0b');
        for (let piece = 0; piece < 100; piece += 1) yield Buffer.alloc(1_000);
        ended = true;
      })(),
    );
    await expect(buffer(asDeclared(source, 'text/plain', REFUSAL))).rejects.toMatchObject(mismatch);
    await until('the source is read to its end', () => ended);
  });

  it('fails as its source does', async () => {
    const failure = new Error('expected by the test');
    const source = new Readable({ read: () => undefined });
    source.push(Buffer.alloc(100_000, 'x'));
    const reading = buffer(asDeclared(source, 'text/plain', REFUSAL));
    source.destroy(failure);
    await expect(reading).rejects.toBe(failure);
  });
});
