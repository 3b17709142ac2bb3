import { describe, expect, it } from '@jest/globals';
import { discoveryStatus, type IntentionStanding, minutesToRetry } from './discovery.policy.ts';

const research = (status: IntentionStanding['status'], settled = true, key = 'market'): IntentionStanding => ({
  key,
  kind: 'research',
  status,
  settled,
});
const department = (status: IntentionStanding['status'], settled = false): IntentionStanding => ({
  key: 'growth',
  kind: 'department',
  status,
  settled,
});
const of = (
  intentions: IntentionStanding[],
  isSetUp = true,
  enabledDepartments: ('growth' | 'support')[] = ['growth'],
) => discoveryStatus({ intentions, isSetUp, enabledDepartments });

describe('how far discovery is', () => {
  it.each([
    ['complete', []],
    ['researching', [research('task_created', false), department('waiting')]],
    ['researching', [research('evidence_retained'), research('failed', false, 'customers')]],
    ['research_failed', [research('failed'), research('failed', true, 'customers')]],
    [
      'departments_running',
      [research('evidence_retained'), research('failed', true, 'customers'), department('pending')],
    ],
    ['complete', [research('evidence_retained'), department('failed', true)]],
  ] as const)('is %s', (status, intentions) => {
    expect(of([...intentions])).toBe(status);
  });

  it('waits for the integrations, and not for departments that are switched off', () => {
    expect(of([research('evidence_retained'), department('waiting')], false)).toBe('awaiting_integration_setup');
    expect(of([research('evidence_retained'), department('waiting')], true, ['support'])).toBe('complete');
  });
});

it('tries three times', () => {
  expect([1, 2, 3].map(minutesToRetry)).toEqual([15, 120, undefined]);
});
