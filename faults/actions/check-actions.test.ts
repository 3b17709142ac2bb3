import { describe, expect, it } from '@jest/globals';
import type { Findings } from '../findings.ts';
import { actionFailures, actionReportOf } from './action-report.ts';
import type { ActionRow, ActionRows } from './action-rows.ts';
import { type ActionsWorld, checkActions } from './check-actions.ts';
import type { Received } from './receiver.ts';

const action = (id: string, status: string, more: Partial<ActionRow> = {}): ActionRow => {
  return { id, status, wasSent: true, errorCode: null, ...more };
};
const request = (actionId: string, more: Partial<Received> = {}): Received => {
  return { actionId, dropped: false, signed: true, ...more };
};
const logged = (verb: string, actionId: string, count = 1) => ({ verb: `action.${verb}`, actionId, count });
const task = { id: 'task', status: 'completed', waits: 1, completions: 1 };

/** One answered, one read and not answered, one of a process that was killed before it sent, one that met no connection. */
const actions = [
  action('answered', 'succeeded'),
  action('dropped', 'reconciliation_required'),
  action('killed', 'reconciliation_required'),
  action('refused', 'not_executed', { errorCode: 'unreachable' }),
];
const parked: ActionRows = {
  actions,
  questions: [{ actionId: 'dropped' }, { actionId: 'killed' }],
  tasks: [{ ...task, status: 'blocked', completions: 0 }],
  activity: actions.flatMap(({ id, status }) => [logged('approved', id), logged('sent', id), logged(status, id)]),
};
const ended: ActionRows = {
  ...parked,
  actions: [action('answered', 'succeeded'), action('dropped', 'succeeded'), action('killed', 'not_executed')],
  questions: [],
  tasks: [task],
};
const sound: ActionsWorld = {
  approved: actions.map(({ id }) => id),
  received: [request('answered'), request('dropped', { dropped: true })],
  parked,
  ended,
};

/** The rows with one action changed. */
const changed = (id: string, more: Partial<ActionRow>): Partial<ActionsWorld> => {
  return { parked: { ...parked, actions: actions.map((each) => (each.id === id ? { ...each, ...more } : each)) } };
};
const received = (...more: Received[]): Partial<ActionsWorld> => ({ received: [...sound.received, ...more] });

function found(world: Partial<ActionsWorld>): Partial<Findings> {
  const all = Object.entries(checkActions({ ...sound, ...world }));
  return Object.fromEntries(all.filter(([, each]) => each.length > 0));
}

describe('the checker of actions', () => {
  it('finds nothing where nothing is wrong', () => {
    expect(found({})).toEqual({});
  });

  it.each<[string, keyof Findings, RegExp, Partial<ActionsWorld>]>([
    ['a second request', 'doubled', /answered was sent 2 times/, received(request('answered'))],
    ['a repetition of an ambiguous one', 'doubled', /dropped was sent 2 times/, received(request('dropped'))],
    [
      'a second note of sending',
      'doubled',
      /sent answered happened 2 times/,
      {
        parked: { ...parked, activity: [...parked.activity, logged('sent', 'answered', 2)] },
      },
    ],
    [
      'a second approval',
      'doubled',
      /approved answered happened 2/,
      {
        parked: { ...parked, activity: [...parked.activity, logged('approved', 'answered', 2)] },
      },
    ],
    [
      'two questions about one',
      'doubled',
      /asked after 2 times/,
      {
        parked: { ...parked, questions: [...parked.questions, { actionId: 'killed' }] },
      },
    ],
    [
      'a question about what ended',
      'doubled',
      /succeeded and asked after 1/,
      {
        parked: { ...parked, questions: [...parked.questions, { actionId: 'answered' }] },
      },
    ],
    [
      'a task that went on twice',
      'doubled',
      /completed 2 times/,
      { ended: { ...ended, tasks: [{ ...task, completions: 2 }] } },
    ],
    ['an approval that vanished', 'lost', /approved and does not exist/, { approved: [...sound.approved, 'gone'] }],
    ['a success that nobody saw', 'lost', /never arrived/, { received: [request('dropped', { dropped: true })] }],
    [
      'an ambiguity that nobody is asked about',
      'lost',
      /nobody is asked/,
      {
        parked: { ...parked, questions: [{ actionId: 'killed' }] },
      },
    ],
    ['an end that is not noted', 'lost', /not in the activity log/, { parked: { ...parked, activity: [] } }],
    ['an approved one that stays', 'stuck', /refused is approved/, changed('refused', { status: 'approved' })],
    ['one that is executing for ever', 'stuck', /killed is executing/, changed('killed', { status: 'executing' })],
    ['one that stays parked', 'stuck', /required at the end/, { ended: { ...ended, actions: [actions[1]!] } }],
    ['a task that waits for ever', 'stuck', /task task is blocked/, { ended: { ...ended, tasks: parked.tasks } }],
    ['an ambiguity taken for a success', 'wrong', /instead of parked/, changed('dropped', { status: 'succeeded' })],
    ['an ambiguity taken for a failure', 'wrong', /is failed/, changed('dropped', { status: 'failed' })],
    [
      'an arrival that is denied',
      'wrong',
      /arrived and is not_executed/,
      changed('answered', { status: 'not_executed' }),
    ],
    ['a request before its note', 'wrong', /not noted as sent/, changed('answered', { wasSent: false })],
    ['one parked that was never sent', 'wrong', /was never sent/, changed('killed', { wasSent: false })],
    ['a call for no action', 'wrong', /none: foreign/, received(request('foreign'))],
    [
      'a wrong signature',
      'wrong',
      /signature/,
      { received: [request('answered', { signed: false }), sound.received[1]!] },
    ],
  ])('finds %s', (_what, kind, text, world) => {
    expect(found(world)[kind]).toContainEqual(expect.stringMatching(text));
  });
});

describe('the report', () => {
  const wanted = { actions: 4, kills: 2 };
  const failuresOf = (all: number, world: ActionsWorld = sound, atWork = all) => {
    const happened = { seconds: 1, kills: { all, atWork }, world, findings: checkActions(world) };
    return actionFailures(actionReportOf(happened), wanted);
  };

  it('counts what became of the actions', () => {
    expect(
      actionReportOf({ seconds: 1, kills: { all: 2, atWork: 1 }, world: sound, findings: checkActions(sound) }),
    ).toMatchObject({
      approved: 4,
      arrived: 2,
      dropped: 1,
      succeeded: 1,
      notExecuted: 1,
      ambiguous: 2,
      ambiguousUnseen: 1,
      mostRequests: 1,
    });
    expect(failuresOf(2)).toEqual([]);
  });

  it('fails without kills, without ambiguity, with too little, and where a promise was broken', () => {
    expect(failuresOf(0)).toEqual(['only 0 of 2 kills', 'no kill while actions were on their way']);
    expect(failuresOf(2, sound, 0)).toEqual(['no kill while actions were on their way']);
    const plain = {
      ...sound,
      received: [request('answered')],
      parked: { ...parked, actions: [actions[0]!], questions: [] },
    };
    expect(failuresOf(2, { ...plain, approved: ['answered'] })).toEqual([
      'only 1 of 4 actions',
      'nothing was ambiguous',
    ]);
    expect(failuresOf(2, { ...sound, ...received(request('answered')) })).toEqual(['promises were broken']);
  });
});
