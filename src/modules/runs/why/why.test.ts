import { describe, expect, it } from '@jest/globals';
import type { Blocker } from '../../tasks/index.ts';
import { why, type WhyFacts } from './why.ts';

const SINCE = '2026-03-01T09:00:00.000000Z';
const LATER = '2026-03-01T10:00:00.000000Z';

const facts: WhyFacts = {
  taskId: 'task',
  status: 'pending',
  blockers: [],
  result: null,
  updatedAt: SINCE,
  completedAt: null,
  scheduledAt: null,
  prerequisites: {
    child: { identifier: 'GRO-2', title: 'A child', status: 'running', isChild: true },
    other: { identifier: 'ENG-7', title: 'Another', status: 'pending', isChild: false },
  },
  runId: null,
  attempt: null,
  runStartedAt: null,
  leaseExpiresAt: null,
  cancelRequested: false,
  requestId: 'request',
  requestStatus: 'queued',
  requestedAt: SINCE,
  availableAt: SINCE,
  claimedAt: null,
  claimExpiresAt: null,
  due: true,
  releases: 0,
  lastError: null,
  profileId: 'profile',
  profileKey: 'growth',
  unmet: [],
  organizationLive: 1,
  organizationClaimed: 0,
  organizationLimit: 10,
  profileLive: 0,
  profileClaimed: 0,
  profileLimit: 3,
};

const of = (change: Partial<WhyFacts>) => why({ ...facts, ...change });
const blockedBy = (...blockers: Blocker[]) => of({ status: 'blocked', requestId: null, blockers });

describe('why a task waits', () => {
  it('names its live run, until its lease lapses', () => {
    const running = {
      status: 'running',
      runId: 'run',
      attempt: 2,
      runStartedAt: SINCE,
      leaseExpiresAt: LATER,
    } as const;
    expect(of(running)).toEqual({
      taskId: 'task',
      status: 'running',
      nextMover: {
        kind: 'live_run',
        since: SINCE,
        until: LATER,
        refs: [{ kind: 'run', id: 'run', label: 'attempt 2' }],
      },
      blockers: [],
      capacity: { organization: { live: 1, claimed: 0, limit: 10 }, profile: { live: 0, claimed: 0, limit: 3 } },
      explanation: 'Its attempt 2 is at work.',
    });
    expect(of({ ...running, cancelRequested: true }).explanation).toBe('Its attempt 2 was asked to stop.');
  });

  it.each<[Partial<WhyFacts>, string]>([
    [{}, 'The task waits for a worker.'],
    [{ unmet: ['profile_disabled', 'work_dispatch_stopped'] }, 'Work dispatch is stopped.'],
    [{ unmet: ['profile_disabled'] }, 'The agent profile "growth" is disabled.'],
    [{ organizationLive: 10 }, 'The organization has 10 live runs of at most 10.'],
    [{ organizationClaimed: 9 }, 'The organization has 1 live run and 9 claimed ones of at most 10.'],
    [{ organizationClaimed: 8 }, 'The task waits for a worker.'],
    [{ profileLive: 3 }, 'The agent profile "growth" has 3 live runs of at most 3.'],
    [
      { profileLive: 2, profileClaimed: 1 },
      'The agent profile "growth" has 2 live runs and 1 claimed one of at most 3.',
    ],
  ])('says of a due request with %j: %s', (change, explanation) => {
    expect(of(change)).toMatchObject({ nextMover: { kind: 'run_request', since: SINCE }, explanation });
  });

  it('names the time of a scheduled task, and of one that waits after a failure', () => {
    const later = { due: false, availableAt: LATER };
    expect(of({ ...later, scheduledAt: LATER })).toMatchObject({
      nextMover: { kind: 'schedule_time', until: LATER },
      explanation: 'The task is scheduled for later.',
    });
    const lastError = { code: 'lease_expired' } as WhyFacts['lastError'];
    expect(of({ ...later, lastError })).toMatchObject({
      nextMover: { kind: 'run_request', until: LATER },
      explanation: 'The next attempt waits for its time after its last run failed with lease_expired.',
    });
  });

  it.each([
    [1, 'The request rests because a worker gave it back; others go first.'],
    [3, 'The request rests because a worker gave it back 3 times in a row; others go first.'],
  ])('names the rest of one that was given back %d times in a row', (releases, explanation) => {
    expect(of({ due: false, availableAt: LATER, releases, scheduledAt: SINCE })).toMatchObject({
      nextMover: { kind: 'run_request', until: LATER },
      explanation,
    });
    expect(of({ releases }).explanation).toBe('The task waits for a worker.');
  });

  it.each<[Partial<WhyFacts>, string]>([
    [{ unmet: ['work_dispatch_stopped'] }, 'Work dispatch is stopped'],
    [{ unmet: ['profile_disabled'] }, 'The agent profile "growth" is disabled'],
    [{ profileLive: 3 }, 'The agent profile "growth" has 3 live runs of at most 3'],
  ])('says of a claimed or resting request what holds it back with %j', (change, held) => {
    expect(of({ ...change, requestStatus: 'claimed', claimedAt: SINCE, claimExpiresAt: LATER }).explanation).toBe(
      `${held}: the worker that has claimed the task cannot start it.`,
    );
    expect(of({ ...change, due: false, availableAt: LATER, releases: 1 }).explanation).toBe(
      `${held}. The request rests because a worker gave it back; others go first.`,
    );
  });

  it('counts a claimed request among the claims, which keep it from nothing', () => {
    const claimed = { requestStatus: 'claimed', claimedAt: SINCE, claimExpiresAt: LATER } as const;
    expect(of({ ...claimed, profileLive: 2, profileClaimed: 1 }).explanation).toBe(
      'A worker has claimed the task and is about to start.',
    );
  });

  it('names a claim until it lapses', () => {
    expect(of({ requestStatus: 'claimed', claimedAt: SINCE, claimExpiresAt: LATER }).nextMover).toMatchObject({
      kind: 'run_request',
      since: SINCE,
      until: LATER,
    });
  });

  it('names children where nothing else blocks', () => {
    const child = { kind: 'dependency', dependsOnTaskId: 'child', since: LATER } as const;
    const other = { kind: 'dependency', dependsOnTaskId: 'other', since: SINCE } as const;
    expect(blockedBy(child)).toMatchObject({
      nextMover: { kind: 'children', since: LATER, refs: [{ kind: 'task', id: 'child', label: 'GRO-2 A child' }] },
      explanation: 'The task waits for its child.',
    });
    expect(blockedBy(child, other)).toMatchObject({
      nextMover: { kind: 'blocker', since: SINCE },
      explanation: 'The task waits for GRO-2, which is running, and 1 more hold it back.',
    });
  });

  it.each<[Blocker, string, string]>([
    [{ kind: 'dependency', dependsOnTaskId: 'other', since: SINCE }, 'agent', 'other'],
    [{ kind: 'dependency_failed', dependsOnTaskId: 'other', since: SINCE }, 'owner', 'other'],
    [{ kind: 'handoff', inboxItemId: 'item', since: SINCE }, 'owner', 'item'],
    [{ kind: 'operator', inboxItemId: 'item', since: SINCE }, 'owner', 'item'],
    [{ kind: 'action', actionId: 'action', since: SINCE }, 'owner', 'action'],
    [{ kind: 'integration', connectorKey: 'code-host', requirement: {}, since: SINCE }, 'configuration', 'code-host'],
  ])('says who can resolve %j', (blocker, whoCanResolve, id) => {
    const { blockers, nextMover } = blockedBy(blocker);
    expect(blockers).toEqual([
      {
        kind: blocker.kind,
        since: SINCE,
        whoCanResolve,
        refs: [expect.objectContaining({ id })],
        hint: expect.stringMatching(/\.$/),
      },
    ]);
    expect(nextMover.kind).toBe('blocker');
  });

  it('says how an ended task ended, without capacity', () => {
    expect(of({ status: 'completed', requestId: null, completedAt: LATER })).toEqual({
      taskId: 'task',
      status: 'completed',
      nextMover: { kind: 'none', since: LATER, refs: [] },
      blockers: [],
      explanation: 'The task is completed.',
    });
    const result = { code: 'run_cancelled', message: 'An owner stopped the run.' };
    expect(of({ status: 'failed', requestId: null, result }).explanation).toBe(
      'The task is failed (run_cancelled): An owner stopped the run.',
    );
  });

  it('admits that nothing moves it', () => {
    expect(of({ requestId: null }).nextMover).toEqual({ kind: 'none', since: SINCE, refs: [] });
  });
});
