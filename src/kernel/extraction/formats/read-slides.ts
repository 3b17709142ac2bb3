import { LIMITS, type TextCollector } from '../text/index.ts';
import { Archive } from './archive.ts';
import { Flow } from './flow.ts';
import { mainPartOf, relationsOf } from './office-package.ts';
import type { Reader } from './reader.ts';
import { type Attributes, prefixed, walkXml, type XmlVisitor } from './xml.ts';

/** Slides in their order, each followed by its notes. */
export const readSlides: Reader = async (bytes, into) => {
  const archive = await Archive.open(bytes);
  const main = (await mainPartOf(archive))!;
  const relations = new Map((await relationsOf(archive, main)).map(({ id, part }) => [id, part]));
  const slides: string[] = [];
  await walkXml(archive, main, {
    open(name, attributes) {
      const slide = name === 'sldId' ? relations.get(prefixed(attributes, 'id') ?? '') : undefined;
      if (slide !== undefined) slides.push(slide);
    },
  });
  const read = slides.slice(0, LIMITS.pages);
  for (const slide of read) {
    await walkXml(archive, slide, new SlideText(into));
    const notes = (await relationsOf(archive, slide)).find(({ kind }) => kind === 'notesSlide');
    if (notes) await walkXml(archive, notes.part, new SlideText(into));
  }
  return { pages: read.length, isCut: slides.length > read.length };
};

class SlideText implements XmlVisitor {
  private readonly flow: Flow;
  private unread = 0;
  private isText = false;

  constructor(into: TextCollector) {
    this.flow = new Flow(into);
  }

  open(name: string, { type }: Attributes): void {
    if (isUnread(name)) this.unread += 1;
    if (this.unread > 0) return;
    // The number of a slide is no text of it.
    if (name === 't') this.isText = true;
    else if (name === 'fld') this.isNumber = type === 'slidenum';
    else if (name === 'br') this.flow.lineBreak();
    else if (name === 'tbl') this.flow.startTable();
    else if (name === 'tc') this.flow.startCell();
  }
  private isNumber = false;

  close(name: string): void {
    if (isUnread(name)) this.unread -= 1;
    if (this.unread > 0) return;
    if (name === 't') this.isText = false;
    else if (name === 'fld') this.isNumber = false;
    else if (name === 'p') this.flow.endParagraph();
    else if (name === 'tr') this.flow.endRow();
    else if (name === 'tbl') this.flow.endTable();
  }

  text(text: string): void {
    if (this.isText && this.unread === 0 && !this.isNumber) this.flow.text(text);
  }
}

/** A second form of the same. */
function isUnread(name: string): boolean {
  return name === 'Fallback';
}
