import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { PlayedOwner } from './deciders.ts';
import type { Action, Item } from './decisions.ts';

const folder = mkdtempSync(join(tmpdir(), 'deciders-'));
const log = join(folder, 'receiver.log');
afterAll(() => rmSync(folder, { recursive: true }));
const owner = new PlayedOwner(0, log);
const signal = AbortSignal.timeout(10_000);
const question = (presentation: object) => ({ presentation: { allowFreeText: true, ...presentation } }) as Item;
const action = { id: 'action-1' } as Action;

describe('the owner whom the demo plays', () => {
  it('follows what is recommended, else the first option, else says something', async () => {
    const options = [{ id: 'a' }, { id: 'b' }];
    expect(await owner.answer(question({ options, recommendedOptionId: 'b' }), signal)).toBe('b');
    expect(await owner.answer(question({ options }), signal)).toBe('a');
    expect(await owner.answer(question({}), signal)).toMatch(/^\S/);
    expect(await owner.approves(action, signal)).toBe(true);
  });

  it('looks at the receiver to say what became of an action', async () => {
    expect(await owner.becameOf(action)).toBe('not_executed');
    writeFileSync(log, '{"actionId":"action-1"}\n');
    expect(await owner.becameOf(action)).toBe('succeeded');
  });
});
