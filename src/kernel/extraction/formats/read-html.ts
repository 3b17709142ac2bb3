import { LIMITS, type TextCollector, textOf, UnreadableError } from '../text/index.ts';
import { Parser } from 'htmlparser2';
import type { Reader } from './reader.ts';

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
/** Of what is unseen, what is read nevertheless. */
const SEEN_IN_HEAD = new Set(['title']);
const BLOCKS = new Set(
  (
    'address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure ' +
    'footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol p pre section summary table tbody ' +
    'tfoot thead title tr ul'
  ).split(' '),
);
const CELLS = new Set(['td', 'th']);
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
  /** Open elements; of each whether it began the unseen. */
  private readonly open: { readonly name: string; readonly hides: boolean }[] = [];
  private hiding = 0;
  private preformatted = 0;
  private isSpacePending = false;
  private isHeadTitle = false;
  private isRowStart = false;

  constructor(private readonly into: TextCollector) {}

  onopentag(name: string, attributes: Readonly<Record<string, string>>): void {
    if (this.open.length >= LIMITS.htmlDepth)
      throw new UnreadableError('too_complex', `more than ${LIMITS.htmlDepth} nested elements`);
    const hides = UNSEEN.has(name) || isHidden(attributes);
    this.open.push({ name, hides });
    if (hides) this.hiding += 1;
    if (SEEN_IN_HEAD.has(name) && this.hiding === 1) this.isHeadTitle = true;
    if (name === 'pre') this.preformatted += 1;
    if (name === 'br') this.lineBreak();
    else if (CELLS.has(name)) this.cell();
    else if (name === 'tr') this.row();
    else if (BLOCKS.has(name)) this.block();
  }

  onclosetag(name: string): void {
    const at = this.open.findLastIndex((each) => each.name === name);
    if (at === -1) return;
    for (const { hides } of this.open.splice(at)) if (hides) this.hiding -= 1;
    if (name === 'pre') this.preformatted -= 1;
    if (BLOCKS.has(name) && name !== 'tr') this.block();
    if (SEEN_IN_HEAD.has(name)) this.isHeadTitle = false;
  }

  ontext(text: string): void {
    if (this.hiding > 0 && !this.isHeadTitle) return;
    if (this.preformatted > 0) {
      this.into.text(text);
      return;
    }
    const words = text.replace(/[ \t\r\n\f]+/g, ' ');
    const begin = words.startsWith(' ') ? words.slice(1) : words;
    if (words !== begin) this.isSpacePending = true;
    if (begin === '') return;
    if (this.isSpacePending && !this.into.isAtStart) this.into.text(' ');
    this.isRowStart = false;
    this.isSpacePending = begin.endsWith(' ');
    this.into.text(this.isSpacePending ? begin.slice(0, -1) : begin);
  }

  private block(): void {
    this.isSpacePending = false;
    this.into.endParagraph();
  }

  private lineBreak(): void {
    this.isSpacePending = false;
    if (!this.into.isAtStart && this.hiding === 0) this.into.lineBreak();
  }

  private row(): void {
    this.lineBreak();
    this.isRowStart = true;
  }

  private cell(): void {
    this.isSpacePending = false;
    if (!this.into.isAtStart && !this.isRowStart && this.hiding === 0) this.into.text('\t');
  }
}

function isHidden(attributes: Readonly<Record<string, string>>): boolean {
  const style = attributes['style'];
  return 'hidden' in attributes || (style !== undefined && HIDING.test(style));
}
