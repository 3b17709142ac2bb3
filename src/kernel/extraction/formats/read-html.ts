import { Parser } from 'htmlparser2';
import { LIMITS, type TextCollector, UnreadableError } from '../text/index.ts';
import { textOf } from './charset.ts';
import { Flow } from './flow.ts';
import type { Reader } from './reader.ts';

/** Not shown, or shown as something else than text. Of `head`, the title is read. */
const UNSEEN = new Set([
  'script',
  'style',
  'noscript',
  'template',
  'head',
  'iframe',
  'object',
  'svg',
  'math',
  'canvas',
  'audio',
  'video',
  'select',
  'datalist',
  'textarea',
]);
const BLOCKS = new Set(
  (
    'address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure ' +
    'footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol p pre section summary table tbody ' +
    'tfoot thead tr ul'
  ).split(' '),
);
const HIDING =
  /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?:[a-z%]*)\s*(?:;|$|!)|opacity\s*:\s*0\s*(?:;|$|!))/i;

export const readHtml: Reader = async (bytes, into, { charset }) => {
  readMarkup(textOf(bytes, charset!.label), into);
  return {};
};

/** Text of HTML that comes in pieces; without what a browser would not show. */
export function readMarkup(pieces: Iterable<string>, into: TextCollector): void {
  const page = new Page(into);
  const parser = new Parser(page, { decodeEntities: true, lowerCaseTags: true });
  for (const piece of pieces) parser.write(piece);
  parser.end();
  into.endParagraph();
}

class Page {
  /** Open elements; of each whether it begins something unseen. */
  private readonly open: { readonly name: string; readonly hides: boolean }[] = [];
  private readonly flow: Flow;
  private hiding = 0;
  private preformatted = 0;
  private isTitle = false;
  private isSpacePending = false;

  constructor(into: TextCollector) {
    this.flow = new Flow(into);
  }

  onopentag(name: string, attributes: Readonly<Record<string, string>>): void {
    if (this.open.length >= LIMITS.htmlDepth)
      throw new UnreadableError('too_complex', `more than ${LIMITS.htmlDepth} nested elements`);
    const hides = UNSEEN.has(name) || isHidden(attributes);
    this.open.push({ name, hides });
    if (hides) this.hiding += 1;
    if (name === 'title' && this.hiding === 1) this.isTitle = true;
    if (this.hiding > 0) return;
    if (name === 'pre') this.preformatted += 1;
    if (name === 'table') this.flow.startTable();
    if (name === 'br') this.flow.lineBreak();
    else if (name === 'td' || name === 'th') this.flow.startCell();
    else if (BLOCKS.has(name)) this.flow.endParagraph();
    else return;
    this.isSpacePending = false;
  }

  onclosetag(name: string): void {
    const at = this.open.findLastIndex((each) => each.name === name);
    if (at === -1) return;
    const isSeen = this.hiding === 0;
    for (const { hides } of this.open.splice(at)) if (hides) this.hiding -= 1;
    if (this.isTitle && name === 'title') {
      this.isTitle = false;
      this.flow.endParagraph();
    }
    if (!isSeen) return;
    if (name === 'pre') this.preformatted -= 1;
    if (name === 'tr') this.flow.endRow();
    else if (name === 'table') this.flow.endTable();
    else if (BLOCKS.has(name)) this.flow.endParagraph();
    else return;
    this.isSpacePending = false;
  }

  ontext(text: string): void {
    if (this.hiding > 0 && !this.isTitle) return;
    if (this.preformatted > 0) {
      this.flow.text(text);
      return;
    }
    const words = text.replace(/[ \t\r\n\f]+/g, ' ');
    const begin = words.startsWith(' ') ? words.slice(1) : words;
    if (words !== begin) this.isSpacePending = true;
    if (begin === '') return;
    const end = begin.endsWith(' ') ? begin.slice(0, -1) : begin;
    this.flow.text(this.isSpacePending && !this.flow.isAtStart ? ` ${end}` : end);
    this.isSpacePending = end !== begin;
  }
}

function isHidden(attributes: Readonly<Record<string, string>>): boolean {
  const style = attributes['style'];
  return 'hidden' in attributes || (style !== undefined && HIDING.test(style));
}
