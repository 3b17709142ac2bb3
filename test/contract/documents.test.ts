import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../..');
const pages = globSync(['*.md', 'docs/**/*.md', 'examples/**/*.md'], { cwd: ROOT, exclude: ['**/node_modules/**'] });

/** Anchor of a heading as GitHub makes it. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

/** What a relative link of a page points to and is not there. */
function broken(page: string): string[] {
  const text = readFileSync(join(ROOT, page), 'utf8').replaceAll(/^```[^]*?^```/gm, '');
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link!);
  return links.filter((link) => {
    if (/^[a-z]+:/.test(link)) return false;
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? page : relative(ROOT, join(ROOT, dirname(page), path));
    if (!existsSync(join(ROOT, target))) return true;
    if (anchor === undefined || statSync(join(ROOT, target)).isDirectory()) return false;
    const headings = [...readFileSync(join(ROOT, target), 'utf8').matchAll(/^#+ (.+)$/gm)].map(
      ([, heading]) => heading!,
    );
    return !headings.some((heading) => anchorOf(heading) === anchor);
  });
}

describe('the documents', () => {
  it.each(pages)('%s has no link to what is not there', (page) => {
    expect(broken(page)).toEqual([]);
  });

  it('has a page for each subject of operation that its index names, and names each page', () => {
    const index = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8');
    const named = [...index.matchAll(/\]\((operations\/[a-z-]+\.md)\)/g)].map(([, name]) => `docs/${name}`);
    expect([...new Set(named)].sort()).toEqual(pages.filter((page) => page.startsWith('docs/operations/')).sort());
  });
});
