import { Parser } from 'htmlparser2';
import { LOOKUP } from './icon.policy.ts';

/** A declared icon, before anything of it was fetched. */
export interface IconLink {
  readonly url: string;
  readonly sizes: string;
  readonly type: string;
  /** Better ones of its kind come first. */
  readonly isLast: boolean;
}

export interface PageLinks {
  readonly icons: readonly IconLink[];
  readonly touchIcons: readonly IconLink[];
  readonly manifests: readonly string[];
}

const IN_HEAD = new Set(['html', 'head', 'title', 'meta', 'link', 'base', 'style', 'script', 'noscript', 'template']);
const TOUCH_ICONS = ['apple-touch-icon', 'apple-touch-icon-precomposed'];
/** Nested elements; the parser takes time quadratic in them, and no head has many. */
const DEPTH = 20;
/** Of a page, of all kinds. */
const LINKS = 200;
/** What is parsed at once, so that parsing ends soon behind the head. */
const PIECE = 4_096;

/** What the head of a page declares; addresses are those that a browser would ask. */
export function linksOf(page: Buffer, pageUrl: string): PageLinks {
  const { links, base } = headOf(page, pageUrl);
  const of = (...names: readonly string[]) =>
    links
      .filter(({ rel }) => names.some((name) => rel.includes(name)))
      .flatMap(({ attributes }) => {
        const url = absolute(attributes['href'] ?? '', base);
        return url === undefined ? [] : [{ url, attributes }];
      });
  return {
    icons: ranked(of('icon').map(linkOf)),
    touchIcons: ranked(of(...TOUCH_ICONS).map(linkOf)),
    manifests: of('manifest').map(({ url }) => url),
  };
}

function headOf(page: Buffer, pageUrl: string): Head {
  const head = new Head(pageUrl);
  const parser = new Parser(head);
  const text = page.toString('utf8', 0, LOOKUP.pageBytes);
  for (let at = 0; at < text.length && !head.isOver; at += PIECE) parser.write(text.slice(at, at + PIECE));
  return head;
}

class Head {
  readonly links: { readonly rel: readonly string[]; readonly attributes: Attributes }[] = [];
  base: string;
  isOver = false;
  private hasBase = false;
  private depth = 0;

  constructor(private readonly pageUrl: string) {
    this.base = pageUrl;
  }

  onopentag(name: string, attributes: Attributes): void {
    // Where a browser begins the body, whether or not the head was closed.
    this.depth += 1;
    if (!IN_HEAD.has(name) || this.depth > DEPTH || this.links.length >= LINKS) this.isOver = true;
    if (this.isOver) return;
    if (name === 'link') this.links.push({ rel: (attributes['rel'] ?? '').toLowerCase().split(/\s+/), attributes });
    if (name !== 'base' || this.hasBase || attributes['href'] === undefined) return;
    this.hasBase = true;
    this.base = absolute(attributes['href'], this.pageUrl) ?? this.pageUrl;
  }

  onclosetag(name: string, isImplied: boolean): void {
    this.depth -= 1;
    if (name === 'head' && !isImplied) this.isOver = true;
  }
}

type Attributes = Readonly<Record<string, string>>;

function linkOf({ url, attributes }: { readonly url: string; readonly attributes: Attributes }): IconLink {
  return {
    url,
    sizes: attributes['sizes'] ?? '',
    type: attributes['type'] ?? '',
    isLast: /prefers-color-scheme\s*:\s*dark/i.test(attributes['media'] ?? ''),
  };
}

/** The icons of a web manifest, whose addresses are relative to it; none if it is not one. */
export function manifestIcons(manifest: Buffer, manifestUrl: string): readonly IconLink[] {
  const icons = iconsIn(manifest);
  return ranked(
    icons.flatMap((icon) => {
      const { src, sizes, type, purpose } = (icon ?? {}) as Record<string, unknown>;
      const url = typeof src === 'string' ? absolute(src, manifestUrl) : undefined;
      if (url === undefined) return [];
      const purposes = textOf(purpose).toLowerCase().split(/\s+/).filter(Boolean);
      // Neither is made to be seen as it is.
      const isLast = purposes.length > 0 && purposes.every((each) => each === 'maskable' || each === 'monochrome');
      return [{ url, sizes: textOf(sizes), type: textOf(type), isLast }];
    }),
  );
}

function iconsIn(manifest: Buffer): readonly unknown[] {
  try {
    const { icons } = JSON.parse(manifest.toString()) as { readonly icons?: unknown };
    return Array.isArray(icons) ? icons.slice(0, LOOKUP.requests) : [];
  } catch {
    return [];
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Images that are smaller are not chosen where there are larger ones. */
const LARGE_ENOUGH = 64;
const SCALABLE = { group: 0, size: 0 };

/** Drawings first, then the smallest that is large enough, then the largest other, then those of unknown size. */
function ranked(links: readonly IconLink[]): IconLink[] {
  return links
    .map((link) => ({ link, rank: rankOf(link) }))
    .sort(
      (a, b) =>
        Number(a.link.isLast) - Number(b.link.isLast) || a.rank.group - b.rank.group || a.rank.size - b.rank.size,
    )
    .map(({ link }) => link);
}

function rankOf({ url, sizes, type }: IconLink): { readonly group: number; readonly size: number } {
  const words = sizes.toLowerCase().split(/\s+/);
  if (words.includes('any') || /^image\/svg\+xml/i.test(type) || /\.svg(?:[?#]|$)/i.test(url)) return SCALABLE;
  const largest = Math.max(...words.map((word) => Number(/^(\d{1,5})x\d{1,5}$/.exec(word)?.[1] ?? 0)));
  if (largest >= LARGE_ENOUGH) return { group: 1, size: largest };
  return largest > 0 ? { group: 2, size: -largest } : { group: 3, size: 0 };
}

function absolute(reference: string, base: string): string | undefined {
  const trimmed = reference.trim();
  if (trimmed === '' || !URL.canParse(trimmed, base)) return undefined;
  const { href, protocol } = new URL(trimmed, base);
  return protocol === 'https:' || protocol === 'http:' || protocol === 'data:' ? href : undefined;
}
