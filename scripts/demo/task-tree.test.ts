import { describe, expect, it } from '@jest/globals';
import { drawTree, Screen, type TreeTask } from './task-tree.ts';

const task = (id: string, more: Partial<TreeTask>): TreeTask => {
  return {
    id,
    parentId: null,
    identifier: id,
    title: 't',
    status: 'pending',
    owner: 'growth',
    waitsFor: [],
    doing: '',
    ...more,
  };
};

/** A stream that keeps what is written to it. */
function stream(isTTY: boolean) {
  const written: string[] = [];
  const out = { isTTY, columns: 80, write: (text: string) => written.push(text) > 0 };
  return { written, screen: new Screen(out as unknown as NodeJS.WriteStream) };
}

describe('the tree of tasks', () => {
  it('shows parents before children, and what each waits for or does', () => {
    const lines = drawTree([
      task('OPS-1', { status: 'blocked', waitsFor: ['GRO-1', 'handoff'], owner: 'operator' }),
      task('GRO-1', { parentId: 'OPS-1', status: 'running', doing: 'step orders', waitsFor: ['never shown'] }),
      task('GRO-2', { parentId: 'GRO-1', status: 'completed' }),
      task('SUP-1', { parentId: 'OPS-1', doing: 'never shown' }),
    ]);
    expect(lines).toEqual([
      'OPS-1  t        … blocked    operator     waits for GRO-1, handoff',
      '├─ GRO-1  t     ▸ running    growth       step orders',
      '│  └─ GRO-2  t  ✓ completed  growth',
      '└─ SUP-1  t     · pending    growth',
    ]);
  });

  it('is drawn over itself on a terminal', () => {
    const { screen, written } = stream(true);
    screen.draw(['a', 'b']);
    screen.draw(['a', 'b']);
    screen.say('news');
    screen.draw(['c']);
    expect(written).toEqual(['a\nb\n', '\u001B[2A\u001B[J', 'news\n', 'a\nb\n', '\u001B[2A\u001B[Jc\n']);
  });

  it('is drawn anew below what somebody wrote', () => {
    const { screen, written } = stream(true);
    screen.draw(['a']);
    screen.keep();
    screen.say('news');
    screen.draw(['a']);
    expect(written).toEqual(['a\n', 'news\n', 'a\n']);
  });

  it('lets no text of an agent command the terminal', () => {
    const { screen, written } = stream(true);
    screen.draw(['a\u001B[2J']);
    screen.say('b\u009BH');
    expect(written[0]).toBe('a\\u{1b}[2J\n');
    expect(written).toContain('b\\u{9b}H\n');
  });

  it('is appended to elsewhere, changed lines only', () => {
    const { screen, written } = stream(false);
    screen.draw(['a', 'b']);
    screen.say('news');
    screen.draw(['a', 'c']);
    expect(written).toEqual(['a\nb\n', 'news\n', 'c\n']);
  });
});
