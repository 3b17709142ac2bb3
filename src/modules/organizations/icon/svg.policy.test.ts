import { describe, expect, it } from '@jest/globals';
import { isHarmlessSvg } from './svg.policy.ts';

const svg = (content: string, attributes = '') =>
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${attributes}>${content}</svg>`;

describe('an SVG is shown', () => {
  it.each([
    ['with shapes', svg('<path d="M0 0h8v8z" fill="#f00"/><text>a &amp; b</text>', 'viewBox="0 0 8 8"')],
    ['with a declaration', `<?xml version="1.0" encoding="UTF-8"?>\n<!-- by hand -->${svg('<g/>')}`],
    ['with a byte order mark', `\uFEFF${svg('<g/>')}`],
    ['with a prefix', '<s:svg xmlns:s="http://www.w3.org/2000/svg"><s:g/></s:svg>'],
    ['with references to its parts', svg('<use xlink:href="#a"/><rect fill="url(#b)" style="filter: url(\'#c\')"/>')],
    ['with an image that it brings along', svg('<image href="data:image/png;base64,AA=="/>')],
    [
      'with colours for dark schemes',
      svg('<style>@media (prefers-color-scheme: dark) { path { fill: white } }</style>'),
    ],
    ['with movements', svg('<animate attributeName="opacity" values="0;1"/>')],
  ])('%s', (_, text) => expect(isHarmlessSvg(text)).toBe(true));
});

describe('an SVG is not shown', () => {
  it.each([
    ['of another root', '<html xmlns="http://www.w3.org/1999/xhtml"><svg/></html>'],
    ['without its namespace', '<svg><g/></svg>'],
    ['of two roots', svg('') + svg('')],
    ['that is only text', '<?xml version="1.0"?>'],
    ['with a document type', `<!DOCTYPE svg>${svg('')}`],
    ['with entities', `<!DOCTYPE svg [<!ENTITY a "b">]>${svg('&a;')}`],
    ['with a style sheet', `<?xml-stylesheet href="https://evil.example/a.css"?>${svg('')}`],
    ['in another encoding', `<?xml version="1.0" encoding="UTF-7"?>${svg('')}`],
    ['with a script', svg('<script>alert(1)</script>')],
    ['with a script of another prefix', svg('<a:script xmlns:a="http://www.w3.org/2000/svg"/>')],
    ['with a script in capitals', svg('<SCRIPT/>')],
    ['with HTML inside', svg('<foreignObject><p/></foreignObject>')],
    ['with a handler', svg('', 'onload="alert(1)"')],
    ['with a handler inside', svg('<g onclick="alert(1)"/>')],
    ['with a link', svg('<a href="https://evil.example/">a</a>')],
    ['with a script as a link', svg('<a xlink:href="javascript:alert(1)">a</a>')],
    ['with an escaped link', svg('<a href="&#106;avascript:alert(1)">a</a>')],
    ['with an image of elsewhere', svg('<image href="https://evil.example/a.png"/>')],
    ['with an image of the same site', svg('<image href="/a.png"/>')],
    ['with data that is no image', svg('<a href="data:text/html,hi">a</a>')],
    ['with a base', svg('<g xml:base="https://evil.example/"/>')],
    ['with a fill of elsewhere', svg('<rect fill="url(https://evil.example/a#b)"/>')],
    ['with a style of elsewhere', svg('<rect style="fill: URL( \'//evil.example/a#b\' )"/>')],
    ['with an escaped style', svg('<rect style="fill: u\\72 l(//evil.example)"/>')],
    ['with an import', svg('<style>@import "https://evil.example/a.css";</style>')],
    ['with an import in CDATA', svg('<style><![CDATA[@import "//evil.example";]]></style>')],
    ['with a font of elsewhere', svg('<style>@font-face { src: url(//evil.example) }</style>')],
    ['with an image set', svg('<style>g { mask: image-set("//evil.example" 1x) }</style>')],
    ['that sets a link', svg('<set attributeName="xlink:href" to="javascript:alert(1)"/>')],
    ['that animates a handler', svg('<animate attributeName="onclick" values="alert(1)"/>')],
    ['that is too deep', svg('<g>'.repeat(200) + '</g>'.repeat(200))],
  ])('%s', (_, text) => expect(isHarmlessSvg(text)).toBe(false));

  it('whatever its depth, at once', () => {
    const began = performance.now();
    expect(isHarmlessSvg(svg('<g>'.repeat(80_000)))).toBe(false);
    expect(performance.now() - began).toBeLessThan(1_000);
  });
});
