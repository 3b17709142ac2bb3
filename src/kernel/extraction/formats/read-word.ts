import type { TextCollector } from '../text/index.ts';
import { Archive } from './archive.ts';
import { Flow } from './flow.ts';
import { mainPartOf, relationsOf } from './office-package.ts';
import type { Reader } from './reader.ts';
import { type Attributes, valueOf, walkXml, type XmlVisitor } from './xml.ts';

/** Further parts with text, in the order in which they are read. */
const OTHERS = ['footnotes', 'endnotes', 'comments', 'header', 'footer'];

export const readWord: Reader = async (bytes, into) => {
  const archive = await Archive.open(bytes);
  const main = (await mainPartOf(archive))!;
  await walkXml(archive, main, new WordText(into));
  const relations = await relationsOf(archive, main);
  for (const kind of OTHERS)
    for (const { part } of relations.filter((each) => each.kind === kind))
      await walkXml(archive, part, new WordText(into));
  return {};
};

/** Deleted or moved away, a second form of the same, or an instruction of a field. */
const UNREAD = new Set(['del', 'moveFrom', 'Fallback', 'instrText', 'delText', 'rubyPr', 'rt']);

class WordText implements XmlVisitor {
  private readonly flow: Flow;
  private unread = 0;
  private isText = false;
  private isHidden = false;
  private isInProperties = false;

  constructor(into: TextCollector) {
    this.flow = new Flow(into);
  }

  open(name: string, attributes: Attributes): void {
    if (UNREAD.has(name)) this.unread += 1;
    if (this.unread > 0) return;
    if (name === 't') this.isText = true;
    else if (name === 'r') this.isHidden = false;
    else if (name === 'rPr') this.isInProperties = true;
    else if (name === 'vanish' || name === 'webHidden') this.isHidden ||= this.isInProperties && isOn(attributes);
    else if (name === 'tab' && !this.isInParagraphProperties) this.flow.text('\t');
    else if (name === 'br' || name === 'cr') this.flow.lineBreak();
    else if (name === 'noBreakHyphen') this.flow.text('-');
    else if (name === 'tbl') this.flow.startTable();
    else if (name === 'tc') this.flow.startCell();
    else if (name === 'pPr') this.isInParagraphProperties = true;
  }
  private isInParagraphProperties = false;

  close(name: string): void {
    if (UNREAD.has(name)) this.unread -= 1;
    if (this.unread > 0) return;
    if (name === 't') this.isText = false;
    else if (name === 'rPr') this.isInProperties = false;
    else if (name === 'pPr') this.isInParagraphProperties = false;
    else if (name === 'r') this.isHidden = false;
    else if (name === 'p') this.flow.endParagraph();
    else if (name === 'tr') this.flow.endRow();
    else if (name === 'tbl') this.flow.endTable();
  }

  text(text: string): void {
    if (this.isText && this.unread === 0 && !this.isHidden) this.flow.text(text);
  }
}

/** Whether a property that may be switched off is on. */
function isOn(attributes: Attributes): boolean {
  return !['0', 'false', 'off'].includes(valueOf(attributes, 'val') ?? 'true');
}
