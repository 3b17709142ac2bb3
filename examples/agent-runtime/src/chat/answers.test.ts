import { describe, expect, it } from '@jest/globals';
import type { Learned, Task } from '../api.ts';
import { cut, quote } from '../text.ts';
import { answer, type Known, type NewTask, type Organization } from './answers.ts';

type Blocker = Task['state']['blockers'][number];

const SINCE = '2026-03-01T09:30:00.000100Z';
const FAILED = { kind: 'failed', code: 'run_failed', runId: null } as const;

function task(identifier: string, rest: Partial<Task> = {}, blockers: readonly Blocker[] = []): Task {
  return {
    id: identifier,
    identifier,
    title: 'Mend it',
    status: blockers.length > 0 ? 'blocked' : 'pending',
    phase: 'execute',
    scheduledAt: null,
    result: null,
    state: { blockers, activeRunIds: [] },
    ...rest,
  } as Task;
}

/** An organization with these tasks, and what is asked of it. */
function organization(...tasks: readonly Task[]) {
  const created: NewTask[] = [];
  const known: Known[] = [];
  const learned: Learned[] = [];
  const asked: Organization = {
    known: async () => known,
    lessons: async () => learned,
    task: async (ref) => tasks.find(({ identifier }) => identifier === ref),
    blocked: async () => tasks.filter(({ status }) => status === 'blocked'),
    create: async (wanted) => {
      created.push(wanted);
      return wanted.ownerAgentProfileKey === 'nobody'
        ? { refusal: 'There is no such profile.' }
        : task('OPS-1', wanted);
    },
  };
  const ask = async (question: string): Promise<string> => {
    let text = '';
    for await (const piece of answer(question, asked)) text += piece;
    return text;
  };
  return { created, known, learned, ask };
}

describe('a question after a task', () => {
  it('is answered with its state, and the run at work on it', async () => {
    const { ask } = organization(task('ENG-7', { status: 'running', state: { blockers: [], activeRunIds: ['r1'] } }));
    const text = 'ENG-7 “Mend it” is running, in its phase execute.\nRun r1 is at work on it.\n';
    for (const question of ['status of ENG-7', 'What is the state of eng-7?', 'ENG-7'])
      expect(await ask(question)).toBe(text);
    expect(await ask('Is ENG-70 done?')).toBe('There is no task ENG-70.\n');
  });

  it('is answered with how it ended', async () => {
    const { ask } = organization(
      task('GRO-1', { status: 'completed', result: { kind: 'completed', summary: 'All is well.', artifacts: [] } }),
      task('GRO-2', { status: 'failed', result: { ...FAILED, message: 'No such file.' } }),
      task('GRO-3', { status: 'cancelled' }),
    );
    expect(await ask('GRO-1?')).toContain('completed, in its phase execute.\nIt ended with: All is well.\n');
    expect(await ask('GRO-2?')).toContain('failed, in its phase execute.\nIt ended with: No such file.\n');
    expect(await ask('GRO-3?')).toContain('cancelled, in its phase execute.\nNo run is at work on it.\n');
  });

  it('says what each blocker waits for', async () => {
    const blocked = task('SUP-2', {}, [
      { kind: 'dependency', since: SINCE, dependsOnTaskId: 'SUP-1' },
      { kind: 'dependency_failed', since: SINCE, dependsOnTaskId: 'SUP-1' },
      { kind: 'dependency', since: SINCE, dependsOnTaskId: 'gone' },
      { kind: 'integration', since: SINCE, connectorKey: 'mail', requirement: {} },
      { kind: 'action', since: SINCE, actionId: 'a1' },
      { kind: 'handoff', since: SINCE, inboxItemId: 'i1' },
    ]);
    const { ask } = organization(task('SUP-1', { status: 'failed' }), blocked);
    const lines = [
      'It waits for SUP-1 “Mend it”, which is failed.',
      'It waits for SUP-1 “Mend it”, which is failed: an owner can retry that one, or waive the dependency.',
      'It waits for a task that is gone.',
      'It waits until the connector mail is set up.',
      'It waits for a decision on an action.',
      'It waits for an owner, in the inbox.',
    ];
    const state = 'SUP-2 “Mend it” is blocked, in its phase execute.';
    const hint = 'Owners see capacity and deadlines too, at /tasks/SUP-2/why.';
    expect(await ask('Why is SUP-2 waiting?')).toBe([state, ...lines, hint, ''].join('\n'));
    expect(await ask('What is blocked?')).toBe(
      ['SUP-2 “Mend it” is blocked.', ...lines.map((line) => `- ${line}`), ''].join('\n'),
    );
  });
});

describe('what else is said', () => {
  it('creates a task, with its first line as the title', async () => {
    const { ask, created } = organization();
    expect(await ask(`create a task: ${'x'.repeat(300)}\nand more`)).toMatch(/^I created OPS-1 “x{199}…”\.\n/);
    expect(await ask('Please add a task for Growth: Rank them\n')).toContain('OPS-1 “Rank them”');
    expect(await ask('create a task for nobody: sleep')).toBe(
      'I could not create the task: There is no such profile.\n',
    );
    expect(created).toEqual([
      { title: `${'x'.repeat(199)}…`, objective: `${'x'.repeat(300)}\nand more` },
      { title: 'Rank them', objective: 'Rank them', ownerAgentProfileKey: 'growth' },
      { title: 'sleep', objective: 'sleep', ownerAgentProfileKey: 'nobody' },
    ]);
  });

  it('quotes what is known, and cites the file that shows it', async () => {
    const { ask, known } = organization();
    const text = '# Customers\n\nWe have been open since May. Three customers have paid.\n\n| a | b |\n';
    known.push({ title: 'Customers of Acme', text, file: 'customers.md', at: '/runs/r1/artifacts/0f' });
    expect(await ask('What do we know about our customers?')).toBe(
      'This is known about it:\n- Customers of Acme: “Three customers have paid.” (customers.md, /runs/r1/artifacts/0f)\n',
    );
  });

  it('tells what agents have learned', async () => {
    const { ask, learned } = organization();
    expect(await ask('What have you learned?')).toBe('Nobody has learned anything yet.\n');
    const memory = { lessons: [{ key: 'k', lesson: 'Look at refunds first.' }] };
    learned.push({ profileName: 'Growth', memory } as Learned, { profileName: 'Support', memory: null } as Learned);
    expect(await ask('What lessons are there?')).toBe('Growth has learned:\n- Look at refunds first.\n');
  });

  it('is answered with what can be asked', async () => {
    const { ask } = organization();
    expect(await ask('What is blocked?')).toBe('Nothing is blocked.\n');
    for (const question of ['Hello', 'create a task:', '']) expect(await ask(question)).toContain('Ask me, for one:\n');
  });

  it('is cut between characters, not within them', () => {
    expect([cut('😀😀😀', 3), cut('😀😀😀', 2)]).toEqual(['😀😀😀', '😀…']);
  });

  it('is the sentence that says most about it', () => {
    expect(quote('Opening hours are long.\nReturns are free for\t60 days. Else ask.', 'What about returns?')).toBe(
      'Returns are free for 60 days.',
    );
    expect(quote('営業時間は九時からです。返品は六十日以内に無料です。', '返品について')).toBe(
      '返品は六十日以内に無料です。',
    );
    expect([quote('# Only a heading', 'x'), quote('', 'x')]).toEqual(['# Only a heading', '']);
  });
});
