import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';

type PdfObject = string | { readonly dictionary: string; readonly stream: Buffer };

/** A PDF of numbered objects, of which the first is the catalog. */
export function pdfOf(objects: readonly PdfObject[], trailer = ''): Buffer {
  const pieces: Buffer[] = [Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n', 'latin1')];
  const offsets: number[] = [];
  let size = pieces[0]!.length;
  const add = (piece: Buffer) => {
    pieces.push(piece);
    size += piece.length;
  };
  for (const [index, object] of objects.entries()) {
    offsets.push(size);
    add(Buffer.from(`${index + 1} 0 obj\n`));
    if (typeof object === 'string') add(Buffer.from(object, 'latin1'));
    else {
      add(Buffer.from(`<< ${object.dictionary} /Length ${object.stream.length} >>\nstream\n`, 'latin1'));
      add(object.stream);
      add(Buffer.from('\nendstream'));
    }
    add(Buffer.from('\nendobj\n'));
  }
  const lines = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`);
  const head = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${lines.join('')}`;
  add(
    Buffer.from(
      `${head}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ${trailer} >>\nstartxref\n${size}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(pieces);
}

/** Objects of a document: the catalog, its pages, a font, and of each page its content. */
function documentOf(contents: readonly Buffer[], font: string, more: readonly PdfObject[] = []): PdfObject[] {
  const first = 4 + more.length;
  const kids = contents.map((_, index) => `${first + index * 2} 0 R`);
  return [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids.join(' ')}] /Count ${contents.length} >>`,
    font,
    ...more,
    ...contents.flatMap((content, index) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents ${first + index * 2 + 1} 0 R >>`,
      { dictionary: '/Filter /FlateDecode', stream: deflateSync(content) },
    ]),
  ];
}

const HELVETICA = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>';

/** Lines of text as operators of a page. */
function lines(texts: readonly string[], show: (text: string) => string): Buffer {
  const moves = texts.map((text) => (text === '' ? '0 -20 Td' : `${show(text)} Tj 0 -14 Td`));
  return Buffer.from(`BT /F1 12 Tf 72 760 Td ${moves.join(' ')} ET`, 'latin1');
}

const literal = (text: string) => `(${text.replace(/[\\()]/g, '\\$&')})`;

/** A PDF of pages of lines in Latin letters; an empty line parts paragraphs. */
export function pdf(...pages: readonly (readonly string[])[]): Buffer {
  return pdfOf(
    documentOf(
      pages.map((each) => lines(each, literal)),
      HELVETICA,
    ),
  );
}

/** A PDF whose Japanese text has neither an embedded font nor an embedded character map, only the names of known ones. */
export function japanesePdf(texts: readonly string[]): Buffer {
  const hex = (text: string) => `<${Buffer.from(text, 'utf16le').swap16().toString('hex')}>`;
  const font =
    '<< /Type /Font /Subtype /Type0 /BaseFont /KozMinPro-Regular /Encoding /UniJIS-UCS2-H /DescendantFonts [4 0 R] >>';
  const descendant =
    '<< /Type /Font /Subtype /CIDFontType0 /BaseFont /KozMinPro-Regular /CIDSystemInfo << /Registry (Adobe) /Ordering (Japan1) /Supplement 4 >> /DW 1000 /FontDescriptor 5 0 R >>';
  const descriptor =
    '<< /Type /FontDescriptor /FontName /KozMinPro-Regular /Flags 4 /FontBBox [-195 -272 1110 1075] /ItalicAngle 0 /Ascent 880 /Descent -120 /CapHeight 740 /StemV 86 >>';
  return pdfOf(documentOf([lines(texts, hex)], font, [descendant, descriptor]));
}

/** A PDF with a page that is one picture, as scanners make it. */
export function scannedPdf(): Buffer {
  const image = {
    dictionary: '/Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8',
    stream: Buffer.from([128]),
  };
  const page =
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /XObject << /I 3 0 R >> >> /Contents 5 0 R >>';
  return pdfOf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [4 0 R] /Count 1 >>',
    image,
    page,
    { dictionary: '', stream: Buffer.from('q 595 0 0 842 0 0 cm /I Do Q') },
  ]);
}

/** A PDF of which only a page of so many bytes of content is known, deflated already. */
export function pdfWithContent(deflated: Buffer): Buffer {
  return pdfOf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [4 0 R] /Count 1 >>',
    HELVETICA,
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents 5 0 R >>',
    { dictionary: '/Filter /FlateDecode', stream: deflated },
  ]);
}

const PADDING = Buffer.from('28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A', 'hex');

/** A PDF encrypted by the standard handler of PDF 1.3: with `user` '' anybody may read it. */
export function encryptedPdf(texts: readonly string[], user: string): Buffer {
  const id = md5(Buffer.from('an id'));
  const padded = (password: string) => Buffer.concat([Buffer.from(password), PADDING]).subarray(0, 32);
  const owner = rc4(md5(padded('owner')).subarray(0, 5), padded(user));
  const permissions = Buffer.from([0xc4, 0xff, 0xff, 0xff]);
  const key = md5(Buffer.concat([padded(user), owner, permissions, id])).subarray(0, 5);
  const encrypt = (number: number, bytes: Buffer) =>
    rc4(md5(Buffer.concat([key, Buffer.from([number, 0, 0, 0, 0])])).subarray(0, 10), bytes);
  const objects = documentOf([lines(texts, literal)], HELVETICA).map((object, index) =>
    typeof object === 'string' ? object : { dictionary: object.dictionary, stream: encrypt(index + 1, object.stream) },
  );
  const handler = `/Encrypt << /Filter /Standard /V 1 /R 2 /O <${owner.toString('hex')}> /U <${rc4(key, PADDING).toString('hex')}> /P -60 >>`;
  return pdfOf(objects, `${handler} /ID [<${id.toString('hex')}> <${id.toString('hex')}>]`);
}

function md5(bytes: Buffer): Buffer {
  return createHash('md5').update(bytes).digest();
}

function rc4(key: Buffer, bytes: Buffer): Buffer {
  const state = Array.from({ length: 256 }, (_, index) => index);
  const swap = (a: number, b: number) => ([state[a], state[b]] = [state[b]!, state[a]!]);
  for (let i = 0, j = 0; i < 256; i += 1) {
    j = (j + state[i]! + key[i % key.length]!) % 256;
    swap(i, j);
  }
  let [i, j] = [0, 0];
  return Buffer.from(
    bytes.map((byte) => {
      i = (i + 1) % 256;
      j = (j + state[i]!) % 256;
      swap(i, j);
      return byte ^ state[(state[i]! + state[j]!) % 256]!;
    }),
  );
}
