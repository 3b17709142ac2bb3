import { describe, expect, it } from '@jest/globals';
import { actionWait } from './action-wait.ts';
import type { WaitableAction } from './action-waits.queries.ts';

const proposed: WaitableAction = { id: 'p', isUnresolved: true, isProposed: true, isLeft: false };
const left: WaitableAction = { id: 'l', isUnresolved: true, isProposed: false, isLeft: true };
const stale: WaitableAction = { id: 's', isUnresolved: true, isProposed: false, isLeft: false };
const done = (action: WaitableAction) => ({ ...action, isUnresolved: false });

describe('a wait for actions', () => {
  it('blocks on the unresolved ones among the named', () => {
    expect(actionWait(['p', 'l'], [proposed, left])).toEqual({ kind: 'blocked', actionIds: ['p', 'l'] });
    expect(actionWait(['p', 'l'], [done(proposed), left])).toEqual({ kind: 'blocked', actionIds: ['l'] });
  });

  it('goes on at once where all are resolved, also one that was left and decided since', () => {
    expect(actionWait(['p', 'l'], [done(proposed), done(left)])).toEqual({ kind: 'resolved' });
  });

  it('names the places of unknown and of stale ones', () => {
    expect(actionWait(['p', 'x', 'y'], [proposed])).toEqual({ kind: 'unknown', places: [1, 2] });
    expect(actionWait(['p', 's'], [proposed, stale])).toEqual({ kind: 'stale', places: [1] });
    expect(actionWait(['s'], [done(stale)])).toEqual({ kind: 'stale', places: [0] });
  });

  it('leaves no unresolved one out', () => {
    expect(actionWait(['p'], [proposed, left])).toEqual({ kind: 'unnamed', actionIds: ['l'] });
  });
});
