import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { Admission } from './admission.ts';

const LIMITS = { size: 3, share: 2, queue: 2, waitMs: 30_000 };

/** Asks for a place and notes who got one; a test ends by admitting all who wait, so that no wait outlives it. */
function calls(limits: Partial<typeof LIMITS> = {}) {
  const admission = new Admission({ ...LIMITS, ...limits });
  const admitted: string[] = [];
  const ask = async (key: string | undefined, name = key ?? 'all') => {
    await admission.enter(key);
    admitted.push(name);
  };
  return { admission, admitted, ask };
}

const settled = () => wait(0);

describe('admission', () => {
  it('admits at once what has room, without a wait', () => {
    const { admission } = calls();
    expect([admission.enter('a'), admission.enter('a'), admission.enter('b')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('lets a key hold its share only, while others pass', async () => {
    const { admission, admitted, ask } = calls();
    const asked = ['a', 'a', 'a', 'b'].map((key) => ask(key));
    await settled();
    expect(admitted).toEqual(['a', 'a', 'b']);
    admission.leave('b');
    await settled();
    expect(admitted).toEqual(['a', 'a', 'b']);
    admission.leave('a');
    await settled();
    expect(admitted).toEqual(['a', 'a', 'b', 'a']);
    await Promise.all(asked);
  });

  it('serves keys that wait in turn, each in its own order', async () => {
    const { admission, admitted, ask } = calls({ size: 1, share: 1 });
    const asked = ['a1', 'a2', 'a3', 'b1', 'c1'].map((name) => ask(name[0], name));
    await settled();
    for (const key of ['a', 'a', 'b', 'c']) {
      admission.leave(key);
      await settled();
    }
    expect(admitted).toEqual(['a1', 'a2', 'b1', 'c1', 'a3']);
    await Promise.all(asked);
  });

  it('bounds calls without a key by the size alone', async () => {
    const { admission, admitted, ask } = calls();
    const asked = Array.from({ length: 6 }, () => ask(undefined));
    await settled();
    expect(admitted).toHaveLength(3);
    admission.leave(undefined);
    await settled();
    expect(admitted).toHaveLength(4);
    for (let call = 0; call < 2; call += 1) admission.leave(undefined);
    await Promise.all(asked);
  });

  it('refuses what finds its queue full, and others not', async () => {
    const { admission, ask } = calls({ share: 1 });
    const asked = Array.from({ length: 3 }, () => ask('a'));
    await expect(ask('a')).rejects.toMatchObject({ row: { status: 503 }, headers: { 'Retry-After': '1' } });
    expect(admission.enter('b')).toBeUndefined();
    for (let call = 0; call < 2; call += 1) admission.leave('a');
    await Promise.all(asked);
  });

  it('counts what waits by its weight', async () => {
    const { admission } = calls({ size: 1, queue: 10 });
    expect(admission.enter('a', 8)).toBeUndefined();
    const first = admission.enter('a', 8)!;
    expect(() => admission.enter('a', 3)).toThrow('are waiting');
    const second = admission.enter('a', 2);
    admission.leave('a');
    await first;
    const third = admission.enter('a', 8);
    expect(() => admission.enter('a', 1)).toThrow('are waiting');
    for (let call = 0; call < 2; call += 1) admission.leave('a');
    await Promise.all([second, third]);
  });

  it('refuses what waited too long, and gives its place to nobody', async () => {
    const { admission, admitted, ask } = calls({ size: 1, waitMs: 5 });
    await ask('a');
    await expect(ask('b')).rejects.toMatchObject({ row: { status: 503 } });
    admission.leave('a');
    await ask('c');
    expect(admitted).toEqual(['a', 'c']);
  });

  it('lets a call that is aborted wait no longer, and gives its place to nobody', async () => {
    const { admission, admitted, ask } = calls({ size: 1 });
    await ask('a');
    const aborting = new AbortController();
    const waits = admission.enter('b', 1, aborting.signal);
    aborting.abort(new Error('gone'));
    await expect(waits).rejects.toThrow('gone');
    await expect(admission.enter('b', 1, aborting.signal)).rejects.toThrow('gone');
    admission.leave('a');
    await ask('c');
    expect(admitted).toEqual(['a', 'c']);
  });
});
