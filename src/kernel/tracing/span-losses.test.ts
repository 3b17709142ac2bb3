import { beforeEach, describe, expect, it } from '@jest/globals';
import { SpanLosses } from './span-losses.ts';

describe('lost spans', () => {
  let lines: string[];
  let nowMs: number;
  let losses: SpanLosses;
  beforeEach(() => {
    lines = [];
    nowMs = 0;
    const note = (line: string) => void lines.push(line);
    losses = new SpanLosses({ log: note, warn: note }, 'http://collector:4318', () => nowMs);
  });

  it('are logged when they begin, with the reason and what to do, and when they are over, with their number', () => {
    let counted = 0;
    losses.counter = { inc: (by = 1) => (counted += by) };
    losses.delivered();
    for (let nth = 0; nth < 50; nth += 1) {
      nowMs += 5_000;
      losses.failed(512, Object.assign(new Error('connect ECONNREFUSED 10.0.0.1:4318'), { code: 'ECONNREFUSED' }));
    }
    losses.overflowed();
    nowMs += 10_000;
    losses.delivered();
    losses.delivered();
    expect(lines).toEqual([
      expect.stringMatching(/^the collector at http:\/\/collector:4318 takes no traces \(connect ECONNREFUSED .*check/),
      'the collector takes traces again; 25601 spans were lost',
    ]);
    expect(counted).toBe(25_601);
  });

  it('are one outage while exports succeed in between', () => {
    for (let nth = 0; nth < 100; nth += 1) {
      nowMs += 50;
      losses.overflowed();
      losses.delivered();
    }
    expect(lines).toEqual([expect.stringContaining('too slowly')]);
  });

  it('name the status of a refusal, and one line of its message', () => {
    losses.failed(1, Object.assign(new Error('Unauthorized\nmore'), { code: 401 }));
    expect(lines[0]).toContain('(401 Unauthorized)');
  });

  it('are logged once more at a stop only if nothing was said before', () => {
    losses.unsent();
    losses.failed(1, undefined);
    losses.unsent();
    expect(lines).toHaveLength(2);
  });
});
