import { Injectable } from '@nestjs/common';
import { Egress, type EgressRequest } from '../../../kernel/egress/index.ts';
import { imageOf, imageOfData } from './icon-image.ts';
import { type IconLink, linksOf, manifestIcons } from './icon-links.ts';
import { LOOKUP } from './icon.policy.ts';
import type { FoundImage } from './icon.queries.ts';

export interface LookedAt {
  readonly organizationId: string;
  readonly website: string;
  readonly blockedDomains: readonly string[];
}

/** Where icons lie that no page declares. */
const USUAL = ['/favicon.ico', '/favicon.svg', '/favicon.png', '/apple-touch-icon.png'];

/** Looks for the icon of a website, in what it declares first. Bounded in time, requests and bytes, whatever it answers. */
@Injectable()
export class IconLookupService {
  constructor(private readonly egress: Egress) {}

  async find(at: LookedAt, signal: AbortSignal): Promise<FoundImage | undefined> {
    const ending = new AbortController();
    const all = AbortSignal.any([signal, ending.signal]);
    try {
      return await new Lookup(this.egress, at, all).find();
    } finally {
      // What is still on its way is not needed.
      ending.abort();
    }
  }
}

class Lookup {
  private readonly deadline = performance.now() + LOOKUP.totalMs;
  private readonly asked = new Set<string>();
  private requests = 0;

  constructor(
    private readonly egress: Egress,
    private readonly at: LookedAt,
    private readonly signal: AbortSignal,
  ) {}

  async find(): Promise<FoundImage | undefined> {
    const { website } = this.at;
    const page = await this.fetch(website, 'text/html,*/*;q=0.1', { maxBytes: LOOKUP.pageBytes, cutsBody: true });
    const url = page?.url ?? website;
    const { icons, touchIcons, manifests } = page ? linksOf(page.body, url) : NOTHING;
    return (
      (await this.first(icons)) ??
      (await this.first(touchIcons)) ??
      (await this.firstOfManifests(manifests)) ??
      (await this.first(USUAL.map((path) => ({ url: new URL(path, url).href, sizes: '', type: '', isLast: false }))))
    );
  }

  private async firstOfManifests(urls: readonly string[]): Promise<FoundImage | undefined> {
    const [url] = urls;
    if (url === undefined) return undefined;
    const manifest = await this.fetch(url, 'application/manifest+json,*/*;q=0.1', { maxBytes: LOOKUP.manifestBytes });
    return manifest && this.first(manifestIcons(manifest.body, manifest.url));
  }

  /** The first of these that is an image; two are asked at once. */
  private async first(links: readonly IconLink[]): Promise<FoundImage | undefined> {
    const pending: Promise<FoundImage | undefined>[] = [];
    for (const [index, { url }] of links.entries()) {
      pending.push(this.imageAt(url));
      if (pending.length < LOOKUP.atOnce && index < links.length - 1) continue;
      const image = await pending.shift();
      if (image) return image;
    }
    for (const each of pending) {
      const image = await each;
      if (image) return image;
    }
    return undefined;
  }

  private async imageAt(url: string): Promise<FoundImage | undefined> {
    if (url.startsWith('data:')) return imageOfData(url);
    const answer = await this.fetch(url, 'image/*,*/*;q=0.1', { maxBytes: LOOKUP.imageBytes });
    return answer && imageOf(answer.body);
  }

  /** What a URL answers with status 200; undefined if it does not, or not within what is left. */
  private async fetch(
    url: string,
    accept: string,
    more: Pick<EgressRequest, 'cutsBody'> & { readonly maxBytes: number },
  ) {
    const { organizationId, blockedDomains } = this.at;
    const leftMs = Math.floor(Math.min(LOOKUP.requestMs, this.deadline - performance.now()));
    if (leftMs <= 0 || this.requests >= LOOKUP.requests || this.asked.has(url)) return undefined;
    if (this.egress.judge(url, blockedDomains) !== undefined) return undefined;
    this.requests += 1;
    this.asked.add(url);
    const { maxBytes, cutsBody = false } = more;
    const result = await this.egress.send({
      url,
      method: 'GET',
      headers: { accept },
      limits: { totalMs: leftMs, maxBytes, redirects: LOOKUP.redirects },
      hosts: 'public',
      cutsBody,
      // Apart from what else the organization sends.
      places: `icon ${organizationId}`,
      organization: { id: organizationId, blockedDomains },
      signal: this.signal,
    });
    return 'body' in result && result.status === 200 ? result : undefined;
  }
}

const NOTHING: ReturnType<typeof linksOf> = { icons: [], touchIcons: [], manifests: [] };
