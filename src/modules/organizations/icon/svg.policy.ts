import { Parser } from 'htmlparser2';

const NAMESPACE = 'http://www.w3.org/2000/svg';
const DEPTH = 100;
/** What is parsed at once. */
const PIECE = 4_096;

/** They run, or show other documents. */
const ELEMENTS = new Set([
  'script',
  'foreignobject',
  'handler',
  'listener',
  'iframe',
  'frame',
  'embed',
  'object',
  'audio',
  'video',
  'canvas',
  'link',
  'meta',
  'base',
]);
/** They set attributes of others. */
const SETTING = new Set(['set', 'animate', 'animatetransform', 'animatemotion', 'animatecolor']);
const REFERENCES = new Set(['href', 'src', 'base', 'data', 'action', 'formaction', 'poster', 'ping', 'srcset']);

class Harmful extends Error {}

/**
 * Whether an SVG may be shown: one element `svg` of that namespace, without document type, scripts, handlers, documents
 * inside, and references to anything but its own parts and images that it brings along.
 */
export function isHarmlessSvg(text: string): boolean {
  const reader = new SvgReader();
  const parser = new Parser(reader, { xmlMode: true });
  const content = text.replace(/^\uFEFF/, '');
  try {
    for (let at = 0; at < content.length; at += PIECE) parser.write(content.slice(at, at + PIECE));
    parser.end();
  } catch (error) {
    if (error instanceof Harmful) return false;
    throw error;
  }
  return reader.hasRoot;
}

class SvgReader {
  hasRoot = false;
  private depth = 0;
  private style: string[] | undefined;

  onopentag(name: string, attributes: Readonly<Record<string, string>>): void {
    const local = localName(name);
    if (this.depth === 0) this.root(name, attributes);
    this.depth += 1;
    if (this.depth > DEPTH || ELEMENTS.has(local)) throw new Harmful();
    if (local === 'style') this.style = [];
    for (const [attribute, value] of Object.entries(attributes)) judge(local, localName(attribute), value);
  }

  onclosetag(name: string): void {
    this.depth -= 1;
    if (localName(name) !== 'style' || !this.style) return;
    judgeStyle(this.style.join(''));
    this.style = undefined;
  }

  ontext(text: string): void {
    this.style?.push(text);
  }

  /** Document types, entities, style sheets; the declaration of XML may say what the bytes are anyway. */
  onprocessinginstruction(name: string, data: string): void {
    const encoding = /encoding\s*=\s*["']([^"']*)["']/i.exec(data)?.[1] ?? 'utf-8';
    if (name !== '?xml' || !/^(utf-8|us-ascii|ascii)$/i.test(encoding)) throw new Harmful();
  }

  private root(name: string, attributes: Readonly<Record<string, string>>): void {
    const prefix = name.includes(':') ? `:${name.split(':')[0]}` : '';
    if (this.hasRoot || localName(name) !== 'svg' || attributes[`xmlns${prefix}`] !== NAMESPACE) throw new Harmful();
    this.hasRoot = true;
  }
}

function judge(element: string, attribute: string, value: string): void {
  if (attribute.startsWith('on')) throw new Harmful();
  if (REFERENCES.has(attribute) && !isOwn(value)) throw new Harmful();
  if (SETTING.has(element) && attribute === 'attributename') {
    const name = localName(value.trim());
    if (REFERENCES.has(name) || name.startsWith('on')) throw new Harmful();
  }
  if (attribute === 'style' || value.includes('(') || value.includes('\\')) judgeStyle(value);
}

/** Styles without escapes, which could hide all else, and with `url()` of what the image brings along only. */
function judgeStyle(style: string): void {
  const text = style.toLowerCase();
  if (text.includes('\\') || /@import|image-set\s*\(|\bimage\s*\(|\bsrc\s*\(|expression\s*\(|-moz-binding/.test(text))
    throw new Harmful();
  for (const [, value] of text.matchAll(/url\s*\(([^)]*)/g))
    if (!isOwn(value!.trim().replace(/^["']/, ''))) throw new Harmful();
}

function isOwn(reference: string): boolean {
  return /^\s*(?:#|data:image\/)/i.test(reference) || reference.trim() === '';
}

function localName(name: string): string {
  return name.slice(name.lastIndexOf(':') + 1).toLowerCase();
}
