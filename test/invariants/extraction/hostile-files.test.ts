import { Readable } from 'node:stream';
import { afterAll, expect, it } from '@jest/globals';
import { Extraction } from '../../../src/kernel/extraction/index.ts';
import { deflatedCopies, zlibCopies } from '../../support/documents/bombs.ts';
import { OPEN_SPREADSHEET_TYPE, OPEN_TEXT_TYPE, openDocument } from '../../support/documents/open-document.ts';
import { word, WORD_TYPE, wordOf, wordPart, wordParagraph, wordWithMain } from '../../support/documents/open-xml.ts';
import { encryptedPdf, pdf, pdfWithContent, scannedPdf } from '../../support/documents/pdf.ts';
import { zip } from '../../support/documents/zip.ts';

/** All of them with `HOSTILE_FILES=all`, which takes three minutes; else those that show a limit of their own. */
const IS_ALL = process.env['HOSTILE_FILES'] === 'all';
const LIMIT_MS = 40_000;
/** Of the process that asks: it only hands bytes on, so its other calls go on. Not by the clock, which other work on the machine moves. */
const MOST_CPU_SECONDS = 3;
const MOST_GROWTH = 150 * 1_024 * 1_024;

const MB = 1_024 * 1_024;
const [HEAD, TAIL] = wordPart('|').split('|') as [string, string];
/** Text that does not deflate to nothing, so that 1 GB of it are 3 MB. */
const NOISE = Array.from({ length: 2_400 }, (_, index) => String.fromCharCode(97 + ((index * index * 31) % 26))).join(
  '',
);
/** No bytes, deflated. */
const NOTHING = Buffer.from([3, 0]);
const MAIL = 'Subject: a\nFrom: b@example.com\n';
const HUGE_ROW =
  '<table:table-row table:number-rows-repeated="1000000"><table:table-cell table:number-columns-repeated="1000000000"><text:p>x</text:p></table:table-cell></table:table-row>';

interface Hostile {
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: () => Buffer;
  readonly warnings: readonly string[];
}

const inPdf = (deflated: Buffer) => pdfWithContent(deflated);
const inWord = (deflated: Buffer, declaredBytes: number) => wordWithMain({ content: '', deflated, declaredBytes });

const FILES: readonly Hostile[] = [
  {
    name: '1 GB in 3 MB of PDF',
    mediaType: 'application/pdf',
    bytes: () => inPdf(zlibCopies(NOISE.padEnd(MB), 1_024)),
    warnings: ['too_complex'],
  },
  {
    name: '1 GB in 3 MB of DOCX',
    mediaType: WORD_TYPE,
    bytes: () => inWord(deflatedCopies(NOISE.padEnd(MB), 1_024, HEAD, TAIL), 0xffff_fffe),
    warnings: ['too_complex'],
  },
  {
    name: 'a DOCX whose part is larger than it says',
    mediaType: WORD_TYPE,
    bytes: () => wordWithMain({ content: wordPart(wordParagraph('x'.repeat(MB))), declaredBytes: 100 }),
    warnings: ['damaged'],
  },
  {
    name: 'a DOCX whose part is smaller than it says',
    mediaType: WORD_TYPE,
    bytes: () => wordWithMain({ content: wordPart(wordParagraph('x')), declaredBytes: 4_000_000_000 }),
    warnings: ['damaged'],
  },
  {
    name: 'a million nested elements of DOCX',
    mediaType: WORD_TYPE,
    bytes: () => wordOf('<w:p>'.repeat(1_000_000) + '</w:p>'.repeat(1_000_000)),
    warnings: ['too_complex'],
  },
  {
    name: 'a million nested elements of HTML',
    mediaType: 'text/html',
    bytes: () => Buffer.from('<div>'.repeat(1_000_000)),
    warnings: ['too_complex'],
  },
  {
    name: 'an entity bomb',
    mediaType: WORD_TYPE,
    bytes: () =>
      wordWithMain({
        content: `<!DOCTYPE a [<!ENTITY a "a"><!ENTITY b "&a;&a;&a;&a;">]>${wordPart(wordParagraph('x')).slice(55)}`,
      }),
    warnings: ['damaged'],
  },
  {
    name: 'an archive of too many entries',
    mediaType: WORD_TYPE,
    bytes: () =>
      zip(Array.from({ length: 10_001 }, (_, index) => ({ name: `${index}`, content: '', deflated: NOTHING, crc: 0 }))),
    warnings: ['too_complex'],
  },
  {
    name: 'rows and columns that repeat a milliard times',
    mediaType: OPEN_SPREADSHEET_TYPE,
    bytes: () =>
      openDocument(OPEN_SPREADSHEET_TYPE, `<table:table table:name="t">${HUGE_ROW.repeat(2_000)}</table:table>`),
    warnings: ['text_truncated'],
  },
  {
    name: 'a mail of parts within parts',
    mediaType: 'message/rfc822',
    bytes: () =>
      Buffer.from(
        MAIL +
          Array.from(
            { length: 5_000 },
            (_, at) => `Content-Type: multipart/mixed; boundary="b${at}"\n\n--b${at}\n`,
          ).join(''),
      ),
    warnings: ['too_complex'],
  },
  {
    name: '240,000 marks on one letter',
    mediaType: 'text/plain',
    bytes: () => Buffer.from(`a${'\u0301'.repeat(240_000)}`),
    warnings: [],
  },
  {
    name: '50 MB of spaces',
    mediaType: 'text/plain',
    bytes: () => Buffer.alloc(50 * MB, ' '),
    warnings: ['empty_file'],
  },
  {
    name: '50 MB and one byte',
    mediaType: 'text/plain',
    bytes: () => Buffer.alloc(50 * MB + 1, 'a'),
    warnings: ['too_complex'],
  },
  {
    name: 'an encrypted DOCX',
    mediaType: WORD_TYPE,
    bytes: () => Buffer.concat([COMPOUND, Buffer.alloc(504), Buffer.from('EncryptedPackage', 'utf16le')]),
    warnings: ['encrypted'],
  },
  {
    name: 'a DOCX of encrypted parts',
    mediaType: WORD_TYPE,
    bytes: () => wordWithMain({ content: wordPart(''), isEncrypted: true }),
    warnings: ['encrypted'],
  },
  {
    name: 'an encrypted ODT',
    mediaType: OPEN_TEXT_TYPE,
    bytes: () => openDocument(OPEN_TEXT_TYPE, '<text:p>noise</text:p>', true),
    warnings: ['encrypted'],
  },
  {
    name: 'a truncated DOCX',
    mediaType: WORD_TYPE,
    bytes: () => word(NOISE).subarray(0, 900),
    warnings: ['damaged'],
  },
  {
    name: 'a truncated PDF',
    mediaType: 'application/pdf',
    bytes: () => pdf(['one'], ['two']).subarray(0, 500),
    warnings: ['damaged'],
  },
  {
    name: 'a PDF that everybody may read and its owner change',
    mediaType: 'application/pdf',
    bytes: () => encryptedPdf(['to be read'], ''),
    warnings: [],
  },
  { name: 'a scan', mediaType: 'application/pdf', bytes: scannedPdf, warnings: ['no_text'] },
  {
    name: 'bytes of no kind',
    mediaType: 'text/plain',
    bytes: () => Buffer.from(Array.from({ length: 10_000 }, (_, index) => (index * index) % 251)),
    warnings: ['content_mismatch', 'no_text'],
  },
];

const COMPOUND = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);

const FURTHER: readonly Hostile[] = [
  {
    name: '1.1 GB of operators in a PDF',
    mediaType: 'application/pdf',
    bytes: () => inPdf(zlibCopies('BT /F1 12 Tf (a) Tj ET\n'.repeat(40_000), 1_200)),
    warnings: ['too_complex'],
  },
  {
    name: 'an attribute of 250 MB',
    mediaType: WORD_TYPE,
    bytes: () => inWord(deflatedCopies('a'.repeat(MB), 250, `${HEAD}<w:p a="`, `"/>${TAIL}`), 0xffff_fffe),
    warnings: ['too_complex'],
  },
  {
    name: 'a comment of 250 MB',
    mediaType: WORD_TYPE,
    bytes: () => inWord(deflatedCopies('a'.repeat(MB), 250, `${HEAD}<!--`, `-->${TAIL}`), 0xffff_fffe),
    warnings: ['too_complex'],
  },
  {
    name: 'ends of elements that are not open',
    mediaType: 'text/html',
    bytes: () => Buffer.from('<i><b>'.repeat(900) + '</p>'.repeat(10 * MB)),
    warnings: ['too_complex'],
  },
  {
    name: '50 MB of paragraphs without text',
    mediaType: 'text/html',
    bytes: () => Buffer.from('<p>'.repeat(16 * MB)),
    warnings: ['empty_file'],
  },
  {
    name: '50 MB of brackets',
    mediaType: 'application/json',
    bytes: () => Buffer.from('['.repeat(50 * MB)),
    warnings: ['text_truncated'],
  },
  {
    name: 'a quote that never ends',
    mediaType: 'text/csv',
    bytes: () => Buffer.from(`"${'a,b\n'.repeat(12 * MB)}`),
    warnings: ['text_truncated'],
  },
  {
    name: '50 MB of empty lines',
    mediaType: 'text/plain',
    bytes: () => Buffer.alloc(50 * MB, '\n'),
    warnings: ['empty_file'],
  },
  {
    name: '50 MB of lines of a space',
    mediaType: 'text/plain',
    bytes: () => Buffer.alloc(50 * MB, ' \n'),
    warnings: ['empty_file'],
  },
  {
    name: 'mails within mails',
    mediaType: 'message/rfc822',
    bytes: () => Buffer.from(`${MAIL}${'Content-Type: message/rfc822\n\nSubject: x\n'.repeat(5_000)}\n\nhi`),
    warnings: [],
  },
  {
    name: 'half a million catalogs of a PDF',
    mediaType: 'application/pdf',
    bytes: () => Buffer.from(`%PDF-1.7\n${'1 0 obj << /Type /Catalog /Pages 1 0 R >> endobj\n'.repeat(500_000)}`),
    warnings: ['damaged'],
  },
];

const extraction = new Extraction();
afterAll(() => extraction.beforeApplicationShutdown());

it.each([...FILES, ...(IS_ALL ? FURTHER : [])])(
  'ends within its limits: $name',
  async ({ name, mediaType, bytes, warnings }) => {
    const content = bytes();
    const source = { bytes: inPieces(content), sizeBytes: content.length, fileName: name, mediaType };
    const before = process.memoryUsage.rss();
    let most = before;
    const look = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 20);
    const began = performance.now();
    const cpu = process.cpuUsage();
    const extracted = await extraction.extract(source, new AbortController().signal);
    const { user, system } = process.cpuUsage(cpu);
    clearInterval(look);
    expect(extracted.warnings.map(({ code }) => code)).toEqual(warnings);
    expect(performance.now() - began).toBeLessThan(LIMIT_MS);
    expect(most - before).toBeLessThan(MOST_GROWTH);
    expect((user + system) / 1e6).toBeLessThan(MOST_CPU_SECONDS);
  },
);

/** As a store hands it on. */
function inPieces(content: Buffer): Readable {
  return Readable.from(
    (function* () {
      for (let at = 0; at < content.length; at += 65_536) yield content.subarray(at, at + 65_536);
    })(),
  );
}
