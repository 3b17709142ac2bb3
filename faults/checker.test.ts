import { describe, expect, it } from '@jest/globals';
import { check } from './checker.ts';
import type { Findings } from './findings.ts';
import type { Answer, Call, Intent } from './history.ts';
import type { ActivityRow, ArtifactRow, DependencyRow, LogRow, RequestRow, Rows, RunRow, TaskRow } from './rows.ts';

const task = (id: string, number: number, more: Partial<TaskRow> = {}): TaskRow => {
  const place = { id, organization: 'org', scope: 'GRO', number, title: `title of ${id}`, kind: 'task' };
  const counters = { runCount: 1, consumed: 1, maxRuns: 20, blockers: [], repaired: false };
  return { ...place, ...counters, status: 'completed', summary: `by run-${id}`, ...more };
};
const request = (taskId: string, more: Partial<RequestRow> = {}): RequestRow => {
  return { id: `request-${taskId}`, taskId, status: 'completed', attempts: 1, maxAttempts: 3, ...more };
};
const run = (taskId: string, startedAt: number, more: Partial<RunRow> = {}): RunRow => {
  const place = { id: `run-${taskId}`, organization: 'org', profile: 'growth', taskId, requestId: `request-${taskId}` };
  const times = { startedAt, beatAt: startedAt, finishedAt: startedAt + 50, cancelRequested: false };
  const end = { status: 'succeeded', summary: `by run-${taskId}`, hasOutput: true, errorClass: null, digest: 'digest' };
  return { ...place, ...times, ...end, attempt: 1, mode: 'execute', ...more };
};
const happened = (verb: string, subjectId: string, count = 1): ActivityRow => ({ verb, subjectId, count });
const log = (more: Partial<LogRow> = {}): LogRow => ({
  runId: 'run-a',
  sequence: 1,
  label: 'step 1',
  receivedAt: 120,
  ...more,
});
const artifact = (more: Partial<ArtifactRow> = {}): ArtifactRow => ({
  runId: 'run-a',
  sha256: 'f00',
  storedAt: 130,
  ...more,
});
const edge = (more: Partial<DependencyRow> = {}): DependencyRow => {
  return { taskId: 'b', dependsOn: 'a', status: 'satisfied', required: true, settledAt: 150, ...more };
};

/** Task `a` and then task `b`, which needed it: both completed by their first run. */
const sound: Rows = {
  tasks: [task('a', 1), task('b', 2)],
  requests: [request('a'), request('b')],
  runs: [run('a', 100), run('b', 200)],
  logs: [log()],
  artifacts: [artifact()],
  checkpoints: [{ runId: 'run-a', version: 2, written: 2 }],
  dependencies: [edge()],
  activity: ['a', 'b'].flatMap((id) => [happened('run.succeeded', `run-${id}`), happened('task.completed', id)]),
};

const answer = (status: number, data: Answer['data'] = {}, sentAt = 110): Answer => {
  return { sentAt, answeredAt: sentAt + 5, status, data };
};
let number = 0;
const call = (intent: Intent, ...answers: Answer[]): Call => ({ id: `call ${(number += 1)}`, intent, answers });
const complete = (digest: string, ...answers: Answer[]) =>
  call({ op: 'run.complete', runId: 'run-a', digest }, ...answers);

const said: readonly Call[] = [
  call({ op: 'task.create', title: 'title of b', dependsOn: ['a'] }, answer(201, { id: 'b' })),
  call({ op: 'run.start', runId: 'run-a' }, answer(200), answer(409)),
  call({ op: 'run.heartbeat', runId: 'run-a' }, answer(503), answer(200), answer(409, {}, 900)),
  call({ op: 'run.logs', runId: 'run-a', sequences: [1] }, answer(200)),
  call({ op: 'run.artifact', runId: 'run-a', sha256: 'f00' }, answer(201)),
  call({ op: 'run.checkpoint', runId: 'run-a', version: 2 }, answer(200)),
  complete('digest', answer(200, { status: 'succeeded' }), answer(200, { status: 'succeeded' }, 900)),
  complete('another body', answer(409)),
];

/** What differs from the sound world. */
type World = Partial<Rows> & { readonly calls?: readonly Call[] };

function found({ calls = [], ...rows }: World): Partial<Findings> {
  const all = Object.entries(check([...said, ...calls], { ...sound, ...rows }));
  return Object.fromEntries(all.filter(([, each]) => each.length > 0));
}

describe('the checker', () => {
  it('finds nothing where nothing is wrong, nor after calls that nobody answered', () => {
    expect(found({ calls: [complete('never arrived'), call({ op: 'task.cancel', taskId: 'gone' })] })).toEqual({});
  });

  it.each<[string, keyof Findings, RegExp, World]>([
    ['a task', 'lost', /no such task/, { tasks: [task('a', 1)] }],
    ['a task by its title', 'lost', /no such task/, { tasks: [task('a', 1), task('b', 2, { title: 'other' })] }],
    ['a dependency', 'lost', /no such dependency/, { dependencies: [] }],
    ['a cancellation', 'lost', /not cancelled/, { calls: [call({ op: 'task.cancel', taskId: 'a' }, answer(200))] }],
    ['a run', 'lost', /no such run/, { calls: [call({ op: 'run.start', runId: 'gone' }, answer(200))] }],
    ['a log entry', 'lost', /no such log entry/, { logs: [] }],
    ['an artifact', 'lost', /no such artifact/, { artifacts: [] }],
    ['a checkpoint', 'lost', /no such checkpoint/, { checkpoints: [{ runId: 'run-a', version: 1, written: 1 }] }],
    ['a completion', 'lost', /did not end so/, { runs: [run('a', 100, { digest: 'x' }), run('b', 200)] }],
    ['what nobody heard', 'lost', /did not end so/, { calls: [complete('x', { ...answer(200), unheard: true })] }],
    ['a number', 'lost', /have gaps/, { tasks: [task('a', 1), task('b', 3)] }],
    ['a run that was counted', 'lost', /counts 2 runs/, { tasks: [task('a', 1, { runCount: 2 }), task('b', 2)] }],
    ['the note of an end', 'lost', /not in the activity log/, { activity: sound.activity.slice(1) }],
  ])('finds %s that was %s', (_what, kind, text, world) => {
    expect(found(world)[kind]).toContainEqual(expect.stringMatching(text));
  });

  it.each<[string, RegExp, World]>([
    ['a task', /created 2 times/, { tasks: [...sound.tasks, task('c', 3, { title: 'title of a' })] }],
    ['a number', /given twice/, { tasks: [task('a', 1), task('b', 1)] }],
    ['a run', /live at once/, { runs: [...sound.runs, run('a', 120, { id: 'x', attempt: 2, status: 'expired' })] }],
    ['a success', /succeeded twice/, { runs: [...sound.runs, run('a', 300, { id: 'x', attempt: 2 })] }],
    ['an attempt', /one attempt twice/, { runs: [...sound.runs, run('a', 300, { id: 'x' })] }],
    ['the end of a run', /happened 2 times/, { activity: [...sound.activity, happened('run.succeeded', 'run-a', 2)] }],
    ['another end', /succeeded and expired/, { activity: [...sound.activity, happened('run.expired', 'run-a')] }],
    ['a completed task', /happened 2 times/, { activity: [...sound.activity, happened('task.completed', 'a', 2)] }],
    ['a failed task', /failed more than once/, { activity: [...sound.activity, happened('task.failed', 'a', 2)] }],
    ['a checkpoint', /version 2 .* is 3/, { checkpoints: [{ runId: 'run-a', version: 3, written: 2 }] }],
    ['two bodies', /two different calls/, { calls: [complete('x', answer(200, { status: 'succeeded' }))] }],
  ])('finds %s twice', (_what, text, world) => {
    expect(found(world).doubled).toContainEqual(expect.stringMatching(text));
  });

  it.each<[string, RegExp, World]>([
    ['an open task', /task b is blocked/, { tasks: [task('a', 1), task('b', 2, { status: 'blocked' })] }],
    ['a request of an ended task', /request that is queued/, { requests: [request('a', { status: 'queued' })] }],
    ['a live run', /run run-b is running/, { runs: [run('a', 100), run('b', 200, { status: 'running' })] }],
    ['what a sweep had to repair', /stood still/, { tasks: [task('a', 1, { repaired: true }), task('b', 2)] }],
  ])('finds %s stuck', (_what, text, world) => {
    expect(found(world).stuck).toContainEqual(expect.stringMatching(text));
  });

  it.each<[string, RegExp, World]>([
    ['a late log entry', /landed behind/, { logs: [log(), log({ sequence: 2, receivedAt: 151 })] }],
    ['a late artifact', /landed behind/, { artifacts: [artifact({ storedAt: 151 })] }],
    [
      'a late heartbeat',
      /accepted 50 ms behind/,
      { calls: [call({ op: 'run.heartbeat', runId: 'run-a' }, answer(200, {}, 200))] },
    ],
    ['an output of an expired run', /has an output/, { runs: [run('a', 100, { status: 'expired' }), run('b', 200)] }],
    ['a result of nobody', /no run of its own/, { tasks: [task('a', 1, { summary: 'by run-b' }), task('b', 2)] }],
    ['a start before its time', /started before task a/, { dependencies: [edge({ settledAt: 201 })] }],
    ['a start without what it needs', /\(failed\)/, { dependencies: [edge({ status: 'failed' })] }],
    ['a credit that was given back twice', /0 consumed/, { tasks: [task('a', 1, { consumed: 0 }), task('b', 2)] }],
    [
      'an attempt that was not counted',
      /counts 0 attempts/,
      { requests: [request('a', { attempts: 0 }), request('b')] },
    ],
    [
      'more runs than a profile may have',
      /had 4 live runs/,
      { runs: [...sound.runs, ...['c', 'd', 'e'].map((id) => run(id, 110))] },
    ],
    [
      'an error of the service',
      /unexpected answer 500/,
      { calls: [call({ op: 'other', name: 'claim' }, answer(500))] },
    ],
  ])('finds %s', (_what, text, world) => {
    expect(found(world).wrong).toContainEqual(expect.stringMatching(text));
  });

  it('takes what is waived or optional for settled', () => {
    for (const more of [{ status: 'waived' }, { status: 'failed', required: false }])
      expect(found({ dependencies: [edge({ settledAt: null, ...more })] })).toEqual({});
  });

  it('takes what the backend ordered and nobody took for no part of the history', () => {
    const own = { kind: 'discovery', status: 'pending', runCount: 0, consumed: 0, summary: null, title: 'Find out' };
    const tasks = [...sound.tasks, ...['c', 'd'].map((id, place) => task(id, 1 + place, { ...own, scope: 'OPE' }))];
    expect(found({ tasks })).toEqual({});
  });

  it('expects the credit of an expired run back', () => {
    const gone = run('a', 20, { id: 'gone', status: 'expired', hasOutput: false, errorClass: 'infrastructure' });
    const rows: Partial<Rows> = {
      tasks: [task('a', 1, { runCount: 2 }), task('b', 2)],
      requests: [request('a', { attempts: 2 }), request('b')],
      runs: [gone, run('a', 100, { attempt: 2 }), run('b', 200)],
      activity: [...sound.activity, happened('run.expired', 'gone')],
    };
    expect(found(rows)).toEqual({});
    expect(found({ ...rows, tasks: [task('a', 1, { runCount: 2, consumed: 2 }), task('b', 2)] }).wrong).toHaveLength(1);
  });
});
