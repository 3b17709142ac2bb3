import { describe, expect, it } from '@jest/globals';
import type { ActionRows } from '../actions/action-rows.ts';
import { checkPushes, type PushesWorld } from './check-pushes.ts';
import type { Manner, ReceivedPush } from './git-host.ts';
import { pushFailures, pushReportOf } from './push-report.ts';
import type { PushRow } from './push-rows.ts';

const OLD = 'a'.repeat(40);
const oidOf = (n: number) => n.toString(16).padStart(40, '0');
const refOf = (n: number) => `refs/heads/work-${n}`;
const push = (n: number, status: string, looks = 0, wasSent = true): PushRow => ({
  id: `push-${n}`,
  status,
  wasSent,
  errorCode: null,
  ref: refOf(n),
  oldOid: OLD,
  newOid: oidOf(n),
  looks,
});
const request = (n: number, manner: Manner = 'answers'): ReceivedPush => ({ ref: refOf(n), newOid: oidOf(n), manner });
const standing = (...oids: string[]) => new Map(oids.map((oid, each) => [refOf(each + 1), oid]));

/** One answered, one dropped before the effect, one after it, and one that never left. */
const pushes = [
  push(1, 'succeeded'),
  push(2, 'not_executed', 4),
  push(3, 'succeeded', 1),
  push(4, 'not_executed', 0, false),
];
const ended: ActionRows = {
  actions: pushes,
  questions: [],
  tasks: [{ id: 'task', status: 'completed', waits: 1, completions: 1 }],
  activity: pushes.flatMap(({ id, status }) =>
    ['approved', status].map((verb) => ({ verb: `action.${verb}`, actionId: id, count: 1 })),
  ),
};
const sound: PushesWorld = {
  approved: ['push-1', 'push-2', 'push-3', 'push-4'],
  received: [request(1), request(2, 'drops before'), request(3, 'drops after')],
  pushes,
  ended,
  branches: standing(oidOf(1), OLD, oidOf(3), OLD),
};
const withPush = (changed: PushRow): PushesWorld => {
  return { ...sound, pushes: pushes.map((each) => (each.id === changed.id ? changed : each)) };
};

describe('the checker of pushes', () => {
  it('finds nothing where nothing is wrong', () => {
    expect(checkPushes(sound)).toEqual({ lost: [], doubled: [], stuck: [], wrong: [] });
  });

  it.each([
    ['a second request', 'doubled', /sent 2 times/, { ...sound, received: [...sound.received, request(1)] }],
    ['a request for nothing', 'wrong', /nobody pushed/, { ...sound, received: [...sound.received, request(9)] }],
    ['a push that is gone', 'lost', /push-9 was approved/, { ...sound, approved: ['push-9'] }],
    ['a success that is none', 'wrong', /stands at a{40}/, { ...sound, branches: standing(OLD, OLD, oidOf(3), OLD) }],
    ['a failure that is none', 'wrong', /push-2 is not_/, { ...sound, branches: standing(oidOf(1), oidOf(2)) }],
    ['a success that never arrived', 'lost', /never arrived/, { ...sound, received: sound.received.slice(1) }],
    ['one that is not noted as sent', 'wrong', /not noted as sent/, withPush(push(1, 'succeeded', 0, false))],
    [
      'one that only a person can tell',
      'stuck',
      /nobody but a person/,
      withPush(push(2, 'reconciliation_required', 4)),
    ],
    ['one that ended otherwise', 'wrong', /push-2 is failed/, withPush(push(2, 'failed'))],
  ] as const)('finds %s', (_what, kind, text, world) => {
    expect(checkPushes(world)[kind]).toContainEqual(expect.stringMatching(text));
  });
});

it('the report counts, and says why a run proves nothing', () => {
  const findings = checkPushes(sound);
  const report = pushReportOf({ seconds: 1, kills: { all: 2, atWork: 1 }, world: sound, findings });
  expect(report).toMatchObject({
    approved: 4,
    arrived: 3,
    droppedBefore: 1,
    droppedAfter: 1,
    succeeded: 2,
    notExecuted: 2,
    ambiguous: 2,
    foundDone: 1,
    foundNotDone: 1,
    mostRequests: 1,
  });
  expect(pushFailures(report, { pushes: 4, kills: 2 })).toEqual([]);
  expect(pushFailures({ ...report, droppedBefore: 0, killsAtWork: 0, wrong: 1 }, { pushes: 5, kills: 3 })).toEqual([
    'only 4 of 5 pushes',
    'only 2 of 3 kills',
    'no kill while pushes were on their way',
    'nothing was ambiguous',
    'promises were broken',
  ]);
});
