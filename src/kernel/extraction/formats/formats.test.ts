import { describe, expect, it } from '@jest/globals';
import {
  OPEN_PRESENTATION_TYPE,
  OPEN_SPREADSHEET_TYPE,
  OPEN_TEXT_TYPE,
  openDocument,
} from '../../../../test/support/documents/open-document.ts';
import {
  cell,
  slides,
  SLIDES_TYPE,
  WORD_TYPE,
  wordOf,
  wordParagraph,
  wordPart,
  workbook,
  WORKBOOK_TYPE,
} from '../../../../test/support/documents/open-xml.ts';
import { formatOf, shownNumber } from './cell-format.ts';
import { readSource } from './index.ts';

const read = (content: string | Buffer, mediaType: string) => readSource(Buffer.from(content), mediaType);
const textOf = async (content: string | Buffer, mediaType: string) =>
  (await read(content, mediaType)).passages.join('\n\n');

describe('HTML', () => {
  it.each([
    ['paragraphs and lines', '<p>a <b>b</b>\n c<br>d</p><div>e</div>f', 'a b c\nd\n\ne\n\nf'],
    ['its title', '<head><title>T</title><style>x</style></head><p>a', 'T\n\na'],
    ['entities', '<p>a &amp; b &eacute; &#x6771;', 'a & b é 東'],
    ['lists', '<ul><li>a<li>b</ul>', 'a\n\nb'],
    ['tables', '<table><tr><th>a<th>b<tr><td>c<td>d</table>', 'a\tb\nc\td'],
    ['preformatted text', '<pre>a\n  b</pre>', 'a\n  b'],
    [
      'no scripts, styles and templates',
      'a<script>b</script><style>c</style><template>d</template><noscript>e</noscript>',
      'a',
    ],
    [
      'nothing hidden',
      '<p>a</p><p hidden>b</p><p style="color:red; display : none">c</p><p style="visibility:hidden">d</p><p>e</p>',
      'a\n\ne',
    ],
    ['nothing of a hidden cell', '<table><tr><td hidden>a<td>b</table>c', 'b\n\nc'],
  ])('is read with %s', async (_, html, text) => expect(await textOf(html, 'text/html')).toBe(text));
});

describe('DOCX', () => {
  it.each([
    ['paragraphs', wordParagraph('a  b') + wordParagraph('c'), 'a  b\n\nc'],
    [
      'tabs and breaks',
      '<w:p><w:pPr><w:tabs><w:tab/></w:tabs></w:pPr><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t></w:r></w:p>',
      'a\tb\nc',
    ],
    [
      'no deleted text',
      '<w:p><w:del><w:r><w:delText>a</w:delText></w:r></w:del><w:moveFrom><w:r><w:t>b</w:t></w:r></w:moveFrom><w:ins><w:r><w:t>c</w:t></w:r></w:ins></w:p>',
      'c',
    ],
    [
      'no hidden text',
      '<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>a</w:t></w:r><w:r><w:rPr><w:vanish w:val="0"/></w:rPr><w:t>b</w:t></w:r></w:p>',
      'b',
    ],
    [
      'fields without their instructions',
      '<w:p><w:r><w:instrText>PAGE</w:instrText></w:r><w:r><w:t>7</w:t></w:r></w:p>',
      '7',
    ],
    [
      'one form of alternatives',
      '<mc:AlternateContent><mc:Choice>' +
        wordParagraph('a') +
        '</mc:Choice><mc:Fallback>' +
        wordParagraph('a') +
        '</mc:Fallback></mc:AlternateContent>',
      'a',
    ],
    [
      'tables',
      `<w:tbl><w:tr><w:tc>${wordParagraph('a')}</w:tc><w:tc>${wordParagraph('b')}${wordParagraph('c')}</w:tc></w:tr><w:tr><w:tc>${wordParagraph('d')}</w:tc></w:tr></w:tbl>`,
      'a\tb c\nd',
    ],
    ['other prefixes', '<x:p xmlns:x="w"><x:r><x:t>a &amp; b</x:t></x:r></x:p>', 'a & b'],
  ])('is read with %s', async (_, body, text) => expect(await textOf(wordOf(body), WORD_TYPE)).toBe(text));

  it('is read with its notes, behind its text', async () => {
    const notes = { name: 'word/footnotes.xml', content: wordPart(wordParagraph('note')) };
    expect(await textOf(wordOf(wordParagraph('a'), [notes], [['footnotes', 'footnotes.xml']]), WORD_TYPE)).toBe(
      'a\n\nnote',
    );
  });
});

describe('XLSX', () => {
  it('is read as tables under the names of their sheets', async () => {
    const bytes = workbook(
      [
        {
          name: 'A & B',
          rows: [
            [cell.shared(0), cell.text('n')],
            [cell.shared(1), cell.number('0.30000000000000004')],
          ],
        },
        { name: 'dates', rows: [[cell.number(45_992, 1), cell.number(45_992.75, 2), cell.number(0.25, 3)]] },
        { name: 'gaps', rows: [['<c r="C1"><v>1</v></c>'], [], ['<c r="ZZZ1"><v>1</v></c>']] },
        { name: 'never shown', state: 'veryHidden', rows: [[cell.text('hidden')]] },
      ],
      { strings: ['x', 'y'], formats: ['yyyy-mm-dd', 'dd/mm/yy hh:mm', '0%'] },
    );
    expect(await textOf(bytes, WORKBOOK_TYPE)).toBe(
      'A & B\n\nx\tn\ny\t0.3\n\ndates\n\n2025-12-01\t2025-12-01 18:00\t25%\n\ngaps\n\n\t\t1',
    );
  });

  it('ends a sheet behind 5,000 rows', async () => {
    const rows = Array.from({ length: 5_001 }, (_, index) => [cell.number(index)]);
    const { truncated, warnings, passages } = await read(workbook([{ name: 's', rows }]), WORKBOOK_TYPE);
    expect([truncated, warnings]).toEqual([true, ['text_truncated']]);
    expect(passages.at(-1)!.endsWith('\n4999')).toBe(true);
  });
});

describe('the number of a cell', () => {
  it.each([
    [0, 14, undefined, '0', '00:00'],
    [0, 14, undefined, '1', '1900-01-01'],
    [0, 14, undefined, '61', '1900-03-01'],
    [0, 0, undefined, '45992', '45992'],
    [0, 164, '[$-409]d mmm yyyy;@', '45992', '2025-12-01'],
    [0, 164, '"day" 0', '3', '3'],
    [0, 164, '[Red]0.00', '3', '3'],
    [0, 164, 'General', '3', '3'],
    [0, 10, undefined, '0.125', '12.5%'],
  ])('is shown by its format (%#)', (_, id, code, raw, shown) =>
    expect(shownNumber(raw, formatOf(id, code), 1900)).toBe(shown),
  );

  it('counts from 1904 where the workbook does', () => {
    expect(shownNumber('1', 'date', 1904)).toBe('1904-01-02');
  });
});

describe('PPTX', () => {
  it('is read in the order of its slides, each with its notes, without their numbers', async () => {
    const reading = await read(slides([{ paragraphs: ['a', 'b'], notes: 'n' }, { paragraphs: ['c'] }]), SLIDES_TYPE);
    expect([reading.passages, reading.pages]).toEqual([['a\n\nb\n\nn\n\nc'], 2]);
  });
});

describe('OpenDocument', () => {
  it('text is read without what was deleted', async () => {
    const body =
      '<text:tracked-changes><text:p>gone</text:p></text:tracked-changes><text:h>T</text:h><text:p>a  <text:span>b</text:span><text:s text:c="2"/>c<text:tab/>d<text:line-break/>e</text:p>';
    expect(await textOf(openDocument(OPEN_TEXT_TYPE, body), OPEN_TEXT_TYPE)).toBe('T\n\na b  c\td\ne');
  });

  it('sheets are read as they are shown', async () => {
    const shown = (text: string, more = '') => `<table:table-cell ${more}><text:p>${text}</text:p></table:table-cell>`;
    const row = (cells: string) => `<table:table-row>${cells}</table:table-row>`;
    const table = `<table:table table:name="S">${row(shown('a') + '<table:table-cell table:number-columns-repeated="2"/>' + shown('b'))}${row(shown('c', 'table:number-columns-repeated="2"') + '<table:table-cell table:number-columns-repeated="1000"/>')}</table:table>`;
    expect(await textOf(openDocument(OPEN_SPREADSHEET_TYPE, table), OPEN_SPREADSHEET_TYPE)).toBe('S\n\na\t\t\tb\nc\tc');
  });

  it('presentations are read page by page', async () => {
    const body = ['a', 'b']
      .map(
        (text) =>
          `<draw:page><draw:frame><draw:text-box><text:p>${text}</text:p></draw:text-box></draw:frame></draw:page>`,
      )
      .join('');
    const reading = await read(openDocument(OPEN_PRESENTATION_TYPE, body), OPEN_PRESENTATION_TYPE);
    expect([reading.passages, reading.pages]).toEqual([['a\n\nb'], 2]);
  });
});

describe('a mail', () => {
  it('of HTML only is read with its head, and its attachments by name', async () => {
    const mail = [
      'From: a@example.com',
      'Subject: =?iso-8859-1?q?Gr=FC=DFe?=',
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      'Content-Type: text/html',
      '',
      '<p>a<script>b</script></p>',
      '--b',
      'Content-Type: application/pdf',
      'Content-Disposition: attachment; filename=c.pdf',
      '',
      'x',
      '--b--',
    ].join('\r\n');
    expect(await textOf(mail, 'message/rfc822')).toBe('Subject: Grüße\nFrom: a@example.com\n\na\n\nAttachment: c.pdf');
  });
});

describe('JSON and CSV', () => {
  it('are read with characters in place of escapes, and records of several lines', async () => {
    expect(await textOf(String.raw`{"a": "\u6771\u4eac \\u6771 \"b\" \/"}`, 'application/json')).toBe(
      String.raw`{"a": "東京 \\u6771 \"b\" /"}`,
    );
    expect(await textOf('a,b\n"1\n2",3\n', 'text/csv')).toBe('a,b\n"1\n2",3');
  });
});

describe('what a source is', () => {
  it.each<[string, string | Buffer, string, string | null, readonly string[]]>([
    ['a page that is called text', '<!DOCTYPE html><p>a', 'text/plain', 'text/html', ['content_mismatch']],
    ['text that is called a mail', 'just words', 'message/rfc822', 'text/plain', ['content_mismatch']],
    ['text that is called a document', 'just words', WORD_TYPE, 'text/plain', ['content_mismatch']],
    ['a document that is called a table', wordOf(wordParagraph('a')), WORKBOOK_TYPE, WORD_TYPE, ['content_mismatch']],
    ['text that mentions a mark', 'The mark is %PDF-1.7', 'text/plain', 'text/plain', []],
    [
      'an old format',
      Buffer.from('{\\rtf1 a}'),
      'application/msword',
      'application/rtf',
      ['content_mismatch', 'no_text'],
    ],
    ['nothing but white space', ' \n\t\u00a0\n', 'text/markdown', 'text/markdown', ['empty_file']],
    ['nothing', '', 'application/pdf', null, ['empty_file']],
    ['a document without text', wordOf('<w:p/>'), WORD_TYPE, WORD_TYPE, ['no_text']],
  ])('is told by its bytes: %s', async (_, content, declared, found, warnings) => {
    expect(await read(content, declared)).toMatchObject({ foundMediaType: found, warnings });
  });
});
