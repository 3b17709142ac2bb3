import { encoded } from './legacy-charset.ts';
import { OPEN_TEXT_TYPE, openText } from './open-document.ts';
import { cell, slides, SLIDES_TYPE, word, WORD_TYPE, workbook, WORKBOOK_TYPE } from './open-xml.ts';
import { encryptedPdf, japanesePdf, pdf } from './pdf.ts';

export interface CompanyDocument {
  readonly fileName: string;
  readonly mediaType: string;
  readonly bytes: Buffer;
  /** A word that a search finds in it and in no other; undefined where nothing can be read. */
  readonly word?: string;
  /** What its review warns of. */
  readonly warning?: 'empty_file' | 'encrypted' | 'content_mismatch';
}

const MAIL = [
  'From: =?utf-8?q?Zo=C3=AB?= <zoe@example.com>',
  'To: orders@example.com',
  'Subject: Late deliveries',
  'Date: Tue, 03 Mar 2026 10:00:00 +0000',
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary="b"',
  '',
  '--b',
  'Content-Type: text/plain; charset=utf-8',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  'Pallets from Rotterdam arrive on Thursdays, never on Mondays=2E',
  '--b',
  'Content-Type: application/pdf; name="waybill.pdf"',
  'Content-Disposition: attachment; filename="waybill.pdf"',
  'Content-Transfer-Encoding: base64',
  '',
  'JVBERi0=',
  '--b--',
  '',
].join('\r\n');

const SHIFT_JIS = '大阪支店の営業時間は午前九時から午後六時までです。\n祝日は休みます。見積書は翌日までに送ります。\n';

/** One document of each kind that a company has, the last three of which cannot be read as they are. */
export const COMPANY_DOCUMENTS: readonly CompanyDocument[] = [
  {
    fileName: 'handbook.pdf',
    mediaType: 'application/pdf',
    bytes: pdf(
      ['Handbook', '', 'Every refund above 200 euros is approved by the bookkeeper.'],
      ['Travel', '', 'Trains are booked in second class.'],
    ),
    word: 'bookkeeper',
  },
  {
    fileName: 'contract.docx',
    mediaType: WORD_TYPE,
    bytes: word('Frame contract', 'The notice period of suppliers is fourteen weeks.'),
    word: 'fourteen',
  },
  {
    fileName: 'prices.xlsx',
    mediaType: WORKBOOK_TYPE,
    bytes: workbook(
      [
        {
          name: 'Prices',
          rows: [
            [cell.shared(0), cell.text('Price'), cell.text('Since')],
            [cell.shared(1), cell.number('19.9'), cell.number(45_992, 1)],
          ],
        },
      ],
      { strings: ['Article', 'Hammock'], formats: ['yyyy-mm-dd'] },
    ),
    word: 'hammock',
  },
  {
    fileName: 'pitch.pptx',
    mediaType: SLIDES_TYPE,
    bytes: slides([
      { paragraphs: ['Who we are'] },
      { paragraphs: ['Our lighthouse customers'], notes: 'Mention the shipyard.' },
    ]),
    word: 'lighthouse',
  },
  {
    fileName: 'process.odt',
    mediaType: OPEN_TEXT_TYPE,
    bytes: openText('Returns', 'A returned parcel is weighed and photographed.'),
    word: 'photographed',
  },
  {
    fileName: 'customers.csv',
    mediaType: 'text/csv',
    bytes: Buffer.from('name,city\n"Kowalski, Ltd",Gdansk\nDubois,Marseille\n'),
    word: 'marseille',
  },
  {
    fileName: 'website.html',
    mediaType: 'text/html',
    bytes: Buffer.from(
      '<!doctype html><title>Sailmaker</title><body><h1>Sails</h1><p>We repair spinnakers within two days.<script>var tracker;</script>',
    ),
    word: 'spinnakers',
  },
  { fileName: 'late.eml', mediaType: 'message/rfc822', bytes: Buffer.from(MAIL), word: 'rotterdam' },
  {
    fileName: 'tone.md',
    mediaType: 'text/markdown',
    bytes: Buffer.from('# Tone\n\nWe write *plainly*, and never use exclamation marks.\n'),
    word: 'exclamation',
  },
  {
    fileName: 'tokyo.pdf',
    mediaType: 'application/pdf',
    bytes: japanesePdf(['東京本社の倉庫は江東区にあります。', '在庫は毎週金曜日に数えます。']),
    word: '倉庫',
  },
  { fileName: 'osaka.txt', mediaType: 'text/plain', bytes: encoded(SHIFT_JIS, 'shift_jis'), word: '見積書' },
  { fileName: 'empty.txt', mediaType: 'text/plain', bytes: Buffer.alloc(0), warning: 'empty_file' },
  {
    fileName: 'salaries.pdf',
    mediaType: 'application/pdf',
    bytes: encryptedPdf(['The salaries'], 'secret'),
    warning: 'encrypted',
  },
  {
    fileName: 'minutes.pdf',
    mediaType: 'application/pdf',
    bytes: word('The minutes mention a chandelier.'),
    word: 'chandelier',
    warning: 'content_mismatch',
  },
];
