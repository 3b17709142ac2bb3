import { describe, expect, it } from '@jest/globals';
import { type Child, stalledChildren } from './stalled-children.ts';

const since = '2026-03-01T09:30:00.000000Z';
const child = (id: string, ...blockers: [kind: 'dependency' | 'dependency_failed', on: string][]): Child => ({
  id,
  status: blockers.length > 0 ? 'blocked' : 'running',
  blockers: blockers.map(([kind, dependsOnTaskId]) => ({ kind, dependsOnTaskId, since })),
});

describe('stalledChildren', () => {
  it('finds none while each can move', () => {
    expect(stalledChildren([child('a'), child('b', ['dependency', 'a'])])).toEqual(new Set());
  });

  it('finds those behind a failed one, however far, in any order', () => {
    const children = [child('c', ['dependency', 'b']), child('b', ['dependency_failed', 'a']), child('d')];
    expect(stalledChildren(children)).toEqual(new Set(['b', 'c']));
  });

  it('takes one that also waits for something else for stalled all the same', () => {
    expect(stalledChildren([child('b', ['dependency', 'x'], ['dependency_failed', 'a'])])).toEqual(new Set(['b']));
  });
});
