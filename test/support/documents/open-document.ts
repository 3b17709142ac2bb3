import { escaped } from './open-xml.ts';
import { zip, type ZipEntry } from './zip.ts';

const HEAD = '<?xml version="1.0" encoding="UTF-8"?>';
const NAMESPACES = ['office', 'text', 'table', 'presentation']
  .map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`)
  .concat('xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"')
  .join(' ');

export const OPEN_TEXT_TYPE = 'application/vnd.oasis.opendocument.text';
export const OPEN_SPREADSHEET_TYPE = 'application/vnd.oasis.opendocument.spreadsheet';
export const OPEN_PRESENTATION_TYPE = 'application/vnd.oasis.opendocument.presentation';

/** An ODT, ODS or ODP with this in its body. */
export function openDocument(mediaType: string, body: string, isEncrypted = false): Buffer {
  const kind = mediaType.split('.').at(-1)!;
  const secret = isEncrypted ? '<manifest:encryption-data manifest:checksum="x"/>' : '';
  const entries: ZipEntry[] = [
    { name: 'mimetype', content: mediaType },
    {
      name: 'META-INF/manifest.xml',
      content: `${HEAD}<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml">${secret}</manifest:file-entry></manifest:manifest>`,
    },
    {
      name: 'content.xml',
      content: `${HEAD}<office:document-content ${NAMESPACES}><office:body><office:${kind}>${body}</office:${kind}></office:body></office:document-content>`,
    },
  ];
  return zip(entries);
}

export function openText(...paragraphs: readonly string[]): Buffer {
  return openDocument(OPEN_TEXT_TYPE, paragraphs.map((text) => `<text:p>${escaped(text)}</text:p>`).join(''));
}
