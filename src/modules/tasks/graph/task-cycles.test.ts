import { describe, expect, it } from '@jest/globals';
import { type Edge, findCycle } from './task-cycles.ts';

const edges = (text: string): Edge[] =>
  text
    .split(' ')
    .filter(Boolean)
    .map((each) => ({ taskId: each[0]!, dependsOnTaskId: each[1]! }));

describe('findCycle', () => {
  it.each(['', 'ab', 'ab bc ac', 'ab cb db', 'ab bc cd ad bd', 'ab cd'])('finds none in "%s"', (text) => {
    expect(findCycle(edges(text))).toBeUndefined();
  });

  it.each([
    ['aa', ['a']],
    ['ab ba', ['a', 'b']],
    ['ab bc cb', ['b', 'c']],
    ['ab ac bd cd da', ['a', 'c', 'd']],
    ['xy ab bc ca', ['a', 'b', 'c']],
  ])('finds the one in "%s"', (text, cycle) => {
    expect([...(findCycle(edges(text)) ?? [])].sort()).toEqual([...cycle].sort());
  });

  it('walks chains that are longer than the stack, once', () => {
    const chain = Array.from({ length: 50_000 }, (_, n) => ({ taskId: `${n}`, dependsOnTaskId: `${n + 1}` }));
    expect(findCycle(chain)).toBeUndefined();
    expect(findCycle([...chain, { taskId: '50000', dependsOnTaskId: '0' }])).toHaveLength(50_001);
  });
});
