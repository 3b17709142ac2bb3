import { createHash, randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { Answer } from '../../support/client.ts';
import type { RunRow } from '../../support/factories/engine-rows.ts';
import { openByAgent } from '../../support/factories/inbox.ts';
import { endTask } from '../../support/factories/tasks.ts';
import { onRun, rowsOf } from '../../support/factories/work.ts';
import { Workplace } from '../../support/factories/engine-rows.ts';
import { useTestApp } from '../../support/use-test-app.ts';

const app = useTestApp();

const LEARNING = { kind: 'learning', summary: 'Looked at the work.' } as const;
const EMPTY = { ...LEARNING, expectedRevision: 0, watermarkTaskId: null, lessons: [], suggestions: [] };

type LearningRun = Awaited<ReturnType<Workplace['run']>>;

/** A run of a learning task in an organization of its own. */
async function learningRun(place?: Workplace): Promise<{ place: Workplace; run: LearningRun }> {
  const at = place ?? (await Workplace.open(app));
  const run = await at.run({ task: { kind: 'learning' } });
  return { place: at, run };
}

const stage = (place: Workplace, { agent }: LearningRun, body: object, query = '') =>
  agent.put(place.agentPath(`/execution/outcome${query}`), body);

function complete(place: Workplace, run: RunRow, kind = 'learning', more: object = {}): Promise<Answer> {
  const result = { kind, summary: 'Looked at the work.', ...more };
  const { runId, leaseToken } = run;
  const { organizationId } = place;
  return onRun(app, { organizationId, runId, leaseToken }, 'complete', { output: { kind: 'task_result', result } });
}

/** A task of growth that has completed. */
async function endedTask(place: Workplace): Promise<string> {
  const id = await place.task();
  await endTask(app, place.organizationId, id);
  return id;
}

/** A whole cycle that leaves these lessons. */
async function learn(place: Workplace, body: object): Promise<LearningRun> {
  const { run } = await learningRun(place);
  const staged = await stage(place, run, { ...EMPTY, ...body });
  expect([staged.status, staged.text]).toEqual([200, staged.text]);
  const ended = await complete(place, run);
  expect([ended.status, ended.body.data?.taskStatus, ended.text]).toEqual([200, 'completed', ended.text]);
  return run;
}

const issues = ({ status, body }: Answer) => [
  status,
  body.error.issues?.map((i: { path: string; code: string }) => [i.path, i.code]),
];
const memoryOf = async (place: Workplace) => (await place.owner.get(place.path('/learning/growth'))).body.data.memory;
const manifestOf = async (place: Workplace, { agent }: LearningRun) =>
  (await agent.get(place.agentPath('/execution'))).body.data;

describe('a cycle', () => {
  it('learns lessons with their sources, completes its task, and shows them to later runs', async () => {
    const place = await Workplace.open(app);
    const [first, second] = [await endedTask(place), await endedTask(place)];
    const { run } = await learningRun(place);
    const before = await manifestOf(place, run);
    expect(before.memory).toBeNull();
    expect(before.learning).toMatchObject({ sinceTaskId: null, more: false, answers: [], revoked: [] });
    expect(before.learning.tasks.map(({ taskId }: { taskId: string }) => taskId)).toEqual([first, second]);
    const question = { kind: 'question', purpose: 'learning_input', title: 'Always?', body: 'Is it always so?' };
    const itemId = await openByAgent(run.agent, place.organizationId, question);
    await place.owner.post(place.path(`/human-inbox/${itemId}/respond`), { response: 'Yes, always.' });
    const asked = await manifestOf(place, run);
    expect(asked.learning.answers).toEqual([
      { inboxItemId: itemId, question: 'Is it always so?', response: 'Yes, always.' },
    ]);
    const bytes = Buffer.from(randomUUID());
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    await run.agent.put(place.agentPath(`/artifacts/${sha256}`), bytes, { 'content-type': 'application/octet-stream' });
    const lesson = {
      key: 'prices-first',
      lesson: 'Check prices first.',
      sourceTaskIds: [first.toUpperCase()],
      evidence: [{ runId: run.runId, path: 'prices.md', sha256 }],
      humanInboxItemIds: [itemId],
      supersedes: null,
    };
    const suggestion = {
      key: 'weekly',
      title: 'Check weekly',
      rationale: 'It went wrong twice.',
      prompt: 'Check the prices.',
      evidence: [],
    };
    const outcome = { ...EMPTY, watermarkTaskId: first, lessons: [lesson], suggestions: [suggestion] };
    expect((await stage(place, run, outcome)).status).toBe(200);
    expect((await complete(place, run)).body.data).toMatchObject({ status: 'succeeded', taskStatus: 'completed' });
    const memory = await memoryOf(place);
    expect(memory).toEqual({
      kind: 'profile_memory',
      profileKey: 'growth',
      revision: 1,
      watermarkTaskId: first,
      lessons: [{ ...lesson, sourceTaskIds: [first], origin: 'verified_learning', createdAt: memory.lastLearnedAt }],
      suggestions: [suggestion],
      lastLearnedAt: memory.lastLearnedAt,
      cycleStartedAt: before.learning.cycleStartedAt,
      sourceTaskId: run.taskId,
    });
    const later = await manifestOf(place, await place.run());
    expect(later.memory).toEqual({
      revision: 1,
      lessons: [{ key: 'prices-first', lesson: 'Check prices first.' }],
      truncated: false,
    });
    expect(later.learning).toBeUndefined();
    const next = await manifestOf(place, (await learningRun(place)).run);
    expect(next.learning).toMatchObject({ sinceTaskId: first, tasks: [{ taskId: second, status: 'completed' }] });
    const log = await place.owner.get(place.path('/activity?verb=memory.learned'));
    expect(log.body.data).toMatchObject([
      { actor: { kind: 'agent', name: 'growth' }, details: { revision: 1, lessons: 1, written: 1, dropped: 0 } },
    ]);
  });

  it('keeps lessons that are the same as they are, without their sources, and replaces the others', async () => {
    const place = await Workplace.open(app);
    const task = await endedTask(place);
    const lesson = (key: string, text: string) => ({ key, lesson: text, sourceTaskIds: [task] });
    await learn(place, { watermarkTaskId: task, lessons: [lesson('one', 'One \u202E1.'), lesson('two', 'Two.')] });
    const before = await memoryOf(place);
    await learn(place, {
      expectedRevision: 1,
      watermarkTaskId: task,
      lessons: [
        { key: 'one', lesson: 'One \u202E1.' },
        { ...lesson('three', 'Three, and two.'), supersedes: 'two' },
      ],
    });
    const after = await memoryOf(place);
    expect(after.lessons.map(({ key }: { key: string }) => key)).toEqual(['three', 'one']);
    expect(after.lessons[1]).toEqual(before.lessons.find(({ key }: { key: string }) => key === 'one'));
    expect(after.lessons[1].lesson).toBe(String.raw`One \u{202e}1.`);
    expect(after.lessons[0]).toMatchObject({ supersedes: 'two' });
  });

  it('shows newest lessons first, as far as they have room', async () => {
    const place = await Workplace.open(app);
    const task = await endedTask(place);
    const lessons = Array.from({ length: 20 }, (_, nth) => ({
      key: `lesson-${nth}`,
      lesson: `${nth} ${'ü'.repeat(1_990)}`,
      sourceTaskIds: [task],
    }));
    await learn(place, { watermarkTaskId: task, lessons });
    const { memory } = await manifestOf(place, await place.run());
    expect([memory.truncated, memory.lessons.length]).toEqual([true, 8]);
    expect(Buffer.byteLength(JSON.stringify(memory.lessons))).toBeLessThanOrEqual(32 * 1024);
  });

  it('waits for a person, and goes on', async () => {
    const { place, run } = await learningRun();
    const inboxItemId = await openByAgent(run.agent, place.organizationId);
    expect((await complete(place, run, 'handoff', { inboxItemId })).body.data.taskStatus).toBe('blocked');
  });
});

describe('PUT …/execution/outcome and the completion: 400 and 409', () => {
  it('refuse sources that are not there, not ended, or of others', async () => {
    const { place, run } = await learningRun();
    const [open, ended] = [await place.task(), await endedTask(place)];
    const others = await place.task({}, 'support');
    await endTask(app, place.organizationId, others);
    const itemId = await openByAgent(run.agent, place.organizationId, { purpose: 'learning_input' });
    const refused = await stage(place, run, {
      ...EMPTY,
      watermarkTaskId: ended,
      lessons: [
        { key: 'none', lesson: 'Nothing.' },
        { key: 'open', lesson: 'Open.', sourceTaskIds: [ended, open, others, run.taskId] },
        { key: 'unanswered', lesson: 'Unanswered.', humanInboxItemIds: [itemId] },
        {
          key: 'evidence',
          lesson: 'Evidence.',
          sourceTaskIds: [ended],
          evidence: [{ runId: run.runId, path: 'x.md', sha256: 'a'.repeat(64) }],
          supersedes: 'unknown',
        },
      ],
    });
    expect(issues(refused)).toEqual([
      400,
      [
        ['lessons.0', 'source_required'],
        ['lessons.1.sourceTaskIds.1', 'unknown_reference'],
        ['lessons.1.sourceTaskIds.2', 'unknown_reference'],
        ['lessons.1.sourceTaskIds.3', 'unknown_reference'],
        ['lessons.2.humanInboxItemIds.0', 'unknown_reference'],
        ['lessons.3.supersedes', 'unknown_reference'],
        ['lessons.3.evidence.0', 'unknown_reference'],
      ],
    ]);
  });

  it('refuse keys that repeat, unsafe text, and fields of other kinds', async () => {
    const { place, run } = await learningRun();
    const lesson = { key: 'same', lesson: 'The same.' };
    expect(issues(await stage(place, run, { ...EMPTY, lessons: [lesson, lesson] }))).toEqual([
      400,
      [['lessons.1.key', 'duplicate_item']],
    ]);
    const secret = { key: 'secret', lesson: `Use brt_${'a1B2c3D4'.repeat(5)} there.` };
    const hidden = { key: 'hidden', lesson: 'One\u001b[2Jtwo' };
    for (const [lessons, code] of [
      [[secret], 'unsafe_text'],
      [[hidden], 'invalid_text'],
    ])
      expect(issues(await stage(place, run, { ...EMPTY, lessons }))).toEqual([400, [['lessons.0.lesson', code]]]);
    const suggestion = { key: 'a', title: 'A', rationale: 'B', prompt: secret.lesson };
    expect(issues(await stage(place, run, { ...EMPTY, summary: secret.lesson, suggestions: [suggestion] }))).toEqual([
      400,
      [
        ['summary', 'unsafe_text'],
        ['suggestions.0.prompt', 'unsafe_text'],
      ],
    ]);
    const evidence = [{ runId: run.runId, path: '\u001B.md', sha256: 'a'.repeat(64) }];
    expect(issues(await stage(place, run, { ...EMPTY, lessons: [{ ...lesson, evidence }] }))).toEqual([
      400,
      [['lessons.0.evidence.0.path', 'invalid_text']],
    ]);
    const { watermarkTaskId: _, ...without } = EMPTY;
    expect(issues(await stage(place, run, without))).toEqual([400, [['watermarkTaskId', 'required']]]);
  });

  it('refuse other revisions and watermarks, and leave the run alive', async () => {
    const place = await Workplace.open(app);
    const [first, second] = [await endedTask(place), await endedTask(place)];
    await learn(place, { watermarkTaskId: second });
    const { run } = await learningRun(place);
    const dry = await stage(place, run, { ...EMPTY, watermarkTaskId: first, expectedRevision: 0 }, '?dryRun=true');
    expect(dry.body.data.issues.map(({ path, code }: { path: string; code: string }) => [path, code])).toEqual([
      ['expectedRevision', 'memory_revision_stale'],
      ['watermarkTaskId', 'watermark_backwards'],
    ]);
    for (const [watermarkTaskId, code] of [
      [first, 'watermark_backwards'],
      [null, 'watermark_backwards'],
    ] as const)
      expect(issues(await stage(place, run, { ...EMPTY, expectedRevision: 1, watermarkTaskId }))).toEqual([
        409,
        [['watermarkTaskId', code]],
      ]);
    const unknown = { ...EMPTY, expectedRevision: 1, watermarkTaskId: randomUUID() };
    expect(issues(await stage(place, run, unknown))).toEqual([400, [['watermarkTaskId', 'unknown_reference']]]);
    expect((await stage(place, run, { ...EMPTY, expectedRevision: 1, watermarkTaskId: second })).status).toBe(200);
    // Another cycle ends before this one completes.
    await learn(place, { expectedRevision: 1, watermarkTaskId: second });
    expect(issues(await complete(place, run))).toEqual([
      409,
      [['output.result.expectedRevision', 'memory_revision_stale']],
    ]);
    const again = { ...EMPTY, expectedRevision: 2, watermarkTaskId: second };
    expect((await stage(place, run, again)).status).toBe(200);
    expect((await complete(place, run)).body.data.taskStatus).toBe('completed');
  });

  it('keep to the kind of the task', async () => {
    const { place, run } = await learningRun();
    const plan = {
      kind: 'planned',
      summary: 'Plan.',
      expectedGraphRevision: 1,
      operations: [{ kind: 'create_task', ref: 'a', title: 'A', spec: { objective: 'Do it' } }],
    };
    expect(issues(await stage(place, run, plan))).toEqual([409, [['kind', 'outcome_not_permitted']]]);
    expect(issues(await complete(place, run, 'completed'))).toEqual([
      409,
      [['output.result.kind', 'outcome_not_permitted']],
    ]);
    const ordinary = await place.run();
    expect(issues(await stage(place, ordinary, EMPTY))).toEqual([409, [['kind', 'outcome_not_permitted']]]);
    expect(issues(await complete(place, ordinary))).toEqual([409, [['output.result.kind', 'outcome_not_permitted']]]);
    expect((await complete(place, ordinary, 'completed')).body.data.taskStatus).toBe('completed');
    // Nothing is staged: the conflict that ends the run.
    expect(issues(await complete(place, run))).toEqual([409, [['output.result', 'outcome_missing']]]);
    const { organizationId } = place;
    const { runs } = await rowsOf(app, { organizationId, taskId: run.taskId, runRequestId: run.requestId });
    expect(runs[0]).toMatchObject({ status: 'failed', error: { code: 'outcome_missing' } });
  });
});
