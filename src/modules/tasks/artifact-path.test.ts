import { describe, expect, it } from '@jest/globals';
import { isRelativePath } from './artifact-path.ts';

describe('isRelativePath', () => {
  it.each(['report.md', 'reports/quarter 1.md', '.hidden/…', 'ab:c/d'])('takes %j', (path) =>
    expect(isRelativePath(path)).toBe(true),
  );

  it.each(['', '/a', 'a/', 'a//b', '.', '../a', 'a/../b', 'a\\b', '..\\a', '\\\\host\\a', 'C:/a', 'c:a'])(
    'refuses %j',
    (path) => expect(isRelativePath(path)).toBe(false),
  );
});
