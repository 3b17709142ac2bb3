import { describe, expect, it } from '@jest/globals';
import { linksOf, manifestIcons } from './icon-links.ts';

const links = (html: string) => linksOf(Buffer.from(html), 'https://a.example/shop/');
const urls = (found: readonly { readonly url: string }[]) => found.map(({ url }) => url);

describe('the links of a page', () => {
  it('are those of its head, by the words of rel, in any case', () => {
    const { icons, touchIcons, manifests } = links(`
      <!doctype html><html><head><meta charset=utf-8><title>a</title>
      <LINK REL="Shortcut ICON" HREF="/favicon.ico"><link rel=mask-icon href=mask.svg>
      <link rel="apple-touch-icon-precomposed" href="//cdn.example/touch.png"><link rel=manifest href=app.json>
      <link rel=icon href=""><link rel=icon href="javascript:alert(1)">
      <body><link rel=icon href=late.png>`);
    expect(urls(icons)).toEqual(['https://a.example/favicon.ico']);
    expect(urls(touchIcons)).toEqual(['https://cdn.example/touch.png']);
    expect(manifests).toEqual(['https://a.example/shop/app.json']);
  });

  it('end with the head, closed or not', () => {
    expect(urls(links('<head></head><link rel=icon href=a.png>').icons)).toEqual([]);
    expect(urls(links('<link rel=icon href=a.png><p><link rel=icon href=b.png>').icons)).toEqual([
      'https://a.example/shop/a.png',
    ]);
  });

  it('are relative to the first base', () => {
    const { icons } = links('<base href="/static/"><base href="/other/"><link rel=icon href=a.png>');
    expect(urls(icons)).toEqual(['https://a.example/static/a.png']);
  });

  it('come with drawings first, then the smallest large one, smaller ones, unknown ones, and those for the dark last', () => {
    const { icons } = links(`
      <link rel=icon href=dark.svg media="(prefers-color-scheme: dark)"><link rel=icon href=unsized.png>
      <link rel=icon sizes=16x16 href=16.png><link rel=icon sizes=32x32 href=32.png><link rel=icon sizes="512x512" href=512.png>
      <link rel=icon sizes="96x96 48x48" href=96.png><link rel=icon type=image/svg+xml href=drawn><link rel=icon sizes=any href=any.ico>`);
    const names = urls(icons).map((url) => url.replace('https://a.example/shop/', ''));
    expect(names).toEqual(['drawn', 'any.ico', '96.png', '512.png', '32.png', '16.png', 'unsized.png', 'dark.svg']);
  });

  it('are found in time, whatever the page is', () => {
    const began = performance.now();
    for (const page of ['<b>', '<template>', '<link rel=icon>', '<', '<!--', '<script>', '<a '])
      linksOf(Buffer.from(page.repeat(600_000 / page.length)), 'https://a.example/');
    expect(performance.now() - began).toBeLessThan(3_000);
  });
});

describe('the icons of a manifest', () => {
  const icons = (manifest: unknown) =>
    urls(manifestIcons(Buffer.from(JSON.stringify(manifest)), 'https://a.example/static/app.json'));

  it('are relative to it, those that are made to be cut or coloured last', () => {
    const manifest = {
      icons: [
        { src: 'mask.svg', sizes: 'any', purpose: 'maskable' },
        { src: 'mono.svg', sizes: 'any', purpose: 'monochrome maskable' },
        { src: '/any.png', sizes: '192x192', purpose: 'any maskable' },
        { src: 'plain.png', sizes: '512x512' },
      ],
    };
    expect(icons(manifest)).toEqual([
      'https://a.example/any.png',
      'https://a.example/static/plain.png',
      'https://a.example/static/mask.svg',
      'https://a.example/static/mono.svg',
    ]);
  });

  it.each([null, [], { icons: 1 }, { icons: [null, 1, { src: 1 }, { src: 'http://' }] }, 'no'])(
    'are none in %j',
    (manifest) => expect(icons(manifest)).toEqual([]),
  );

  it('are none in what is no JSON', () => {
    expect(manifestIcons(Buffer.from('<html>'), 'https://a.example/')).toEqual([]);
  });
});
