import type { StagedOutcome, Task, WorkManifest } from '../api.ts';
import { storedAt } from '../run-lease.ts';
import { cut } from '../text.ts';
import type { Agent, Work } from './agent.ts';

type Lesson = Extract<StagedOutcome, { kind: 'learning' }>['lessons'][number];
type Ended = NonNullable<WorkManifest['learning']>['tasks'][number];

const MAX_LESSON = 1_500;
/** A memory of everything helps nobody: the oldest lessons go. */
const MOST_LESSONS = 50;

/**
 * Learns from the profile's own work: what came out of each task, with the delivered file as evidence. What failed, only a
 * person can explain: that becomes a question, which nothing waits for, and its answer a lesson of the next cycle.
 */
export const learning: Agent = async (work) => {
  const { learning: since, memory } = work.manifest;
  const tasks = since?.tasks ?? [];
  const ended = await work.step('tasks', async () => {
    const read = await Promise.all(tasks.map(({ taskId }) => work.task(taskId)));
    return tasks.map((task, index) => ({ task, result: read[index]?.result ?? null }));
  });
  for (const { task, result } of ended) if (result?.kind === 'failed') await askAbout(work, task, result.message);
  const revoked = new Set(since?.revoked.map(({ key }) => key));
  const fresh = [
    ...ended.flatMap(({ task, result }) => lessonOf(task, result)),
    ...(since?.answers ?? []).map(({ inboxItemId, question, response }) => {
      const lesson = cut(`Asked “${question}”, a person said: ${response}`, MAX_LESSON);
      return { key: `answer-${inboxItemId}`, lesson, humanInboxItemIds: [inboxItemId] };
    }),
  ];
  // Of tasks with one title the latest counts. What the list leaves out is forgotten, so the others are named again.
  const byKey = new Map<string, Lesson>(fresh.map((lesson) => [lesson.key, lesson]));
  const summary = `${byKey.size} lessons from ${tasks.length} tasks`;
  for (const kept of memory?.lessons ?? []) if (!byKey.has(kept.key)) byKey.set(kept.key, kept);
  const lessons = [...byKey.values()].filter(({ key }) => !revoked.has(key)).slice(0, MOST_LESSONS);
  await work.stage({
    kind: 'learning',
    summary,
    expectedRevision: memory?.revision ?? 0,
    watermarkTaskId: tasks.at(-1)?.taskId ?? since?.sinceTaskId ?? null,
    lessons,
    suggestions: [],
  });
  return { kind: 'learning', summary };
};

/** A person said no to a cancelled task, and said why to nobody: there is nothing to learn from it. */
function lessonOf({ taskId, identifier, title }: Ended, result: Task['result']): Lesson[] {
  if (result?.kind !== 'completed') return [];
  const [artifact] = result.artifacts ?? [];
  const at = artifact?.uri ? storedAt(artifact.uri) : undefined;
  const lesson = cut(`“${title}” (${identifier}) came to this: ${result.summary}`, MAX_LESSON);
  const evidence = artifact && at ? [{ ...at, path: artifact.path }] : [];
  return [{ key: keyOf(title), lesson, sourceTaskIds: [taskId], evidence }];
}

async function askAbout(work: Work, { identifier, title }: Ended, message: string): Promise<void> {
  await work.ask({
    key: `failed-${identifier}`,
    purpose: 'learning_input',
    title: `What do we do about “${cut(title, 120)}” next time?`,
    body: `${identifier} failed: ${cut(message, MAX_LESSON)}`,
    presentation: { allowFreeText: true },
  });
}

/** The title as a key, so that a later task of this title replaces the lesson. */
function keyOf(title: string): string {
  const words =
    title
      .normalize('NFKD')
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? [];
  return words.join('-').slice(0, 90).replace(/-$/, '') || 'task';
}
