import { describe, expect, it } from '@jest/globals';
import {
  mayStartIn,
  START_CONDITIONS,
  type StartCondition,
  unmetAsArray,
  unmetCases,
  type UnmetCondition,
  waitsBecause,
} from './run-start.policy.ts';

const ALL = Object.entries(START_CONDITIONS) as [UnmetCondition, StartCondition][];
const codesIn = (text: string) => [...text.matchAll(/then '(\w+)'/g)].map(([, code]) => code);
const facts = {
  profileKey: 'growth',
  organization: { live: 1, claimed: 9, limit: 10 },
  profile: { live: 3, claimed: 0, limit: 3 },
};

describe('the conditions of a start', () => {
  it('refuse in the order of the table, all but capacity, which starts are ranked for', () => {
    expect(codesIn(unmetCases())).toEqual([
      'task_ended',
      'task_not_due',
      'task_blocked',
      'budget_exhausted',
      'work_dispatch_stopped',
      'profile_disabled',
    ]);
  });

  it('end a request where nothing it could wait for lets it start', () => {
    expect(ALL.flatMap(([unmet, { resolvedBy }]) => (resolvedBy === 'nothing' ? [unmet] : []))).toEqual([
      'task_ended',
      'task_blocked',
      'budget_exhausted',
    ]);
  });

  it.each(['organization', 'profile'] as const)('are what claims ask of an %s, with its capacity', (about) => {
    const asked = mayStartIn(about);
    for (const [, condition] of ALL) expect(asked.includes(condition.holds)).toBe(condition.about === about);
    expect(asked).toContain('max_live_runs');
  });

  it('have a sentence for a request that waits wherever they are no matter of its task', () => {
    for (const [, { about, waiting }] of ALL) expect(waiting !== undefined).toBe(about !== 'task');
    expect(codesIn(unmetAsArray())).toEqual(['work_dispatch_stopped', 'profile_disabled']);
  });

  it('explain by the first that does not hold', () => {
    expect(waitsBecause(['profile_full', 'work_dispatch_stopped'], facts)).toBe('Work dispatch is stopped');
    expect(waitsBecause(['profile_full'], facts)).toBe('The agent profile "growth" has 3 live runs of at most 3');
    expect(waitsBecause(['organization_full', 'profile_full'], facts)).toBe(
      'The organization has 1 live run and 9 claimed ones of at most 10',
    );
    expect(waitsBecause([], facts)).toBeUndefined();
  });
});
