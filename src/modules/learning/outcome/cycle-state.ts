import type { Tx } from '../../../kernel/database/index.ts';
import type { Outcome, SuggestionDto } from '../../runs/index.ts';
import { isRevokedBy, normalized } from './learned-lessons.ts';
import { wordsDigestOf } from '../../knowledge/index.ts';
import {
  answeredAmong,
  type EndedTaskOf,
  endedTasks,
  type MemoryFacts,
  memoryFacts,
  type MemoryOf,
  type NewLesson,
  revokedAmong,
  type StoredLesson,
  storedLessons,
} from '../memory.queries.ts';

/** What a run says that its profile has learned. */
export interface LearningResult extends Outcome {
  readonly kind: 'learning';
  readonly expectedRevision: number;
  readonly watermarkTaskId: string | null;
  readonly lessons: readonly NewLesson[];
  readonly suggestions: readonly SuggestionDto[];
}

/** What such a result is held against. */
export interface CycleState {
  /** Undefined where the profile has no memory yet. */
  readonly memory: MemoryFacts | undefined;
  readonly stored: ReadonlyMap<string, StoredLesson>;
  /** Of those that the result names: the profile's tasks that have ended, and its inputs that were answered. */
  readonly tasks: ReadonlyMap<string, EndedTaskOf>;
  readonly answered: ReadonlySet<string>;
  /** Keys of lessons that owners took back. */
  readonly revokedKeys: ReadonlySet<string>;
  /** Whether an owner took the lesson back, under its key or its text: it is dropped, whatever it names. */
  readonly isRevoked: (lesson: NewLesson) => boolean;
}

export async function cycleState(tx: Tx, of: MemoryOf, result: LearningResult): Promise<CycleState> {
  const lessons = result.lessons.map(normalized);
  const taskIds = [...lessons.flatMap(({ sourceTaskIds }) => sourceTaskIds), result.watermarkTaskId ?? []].flat();
  const [[memory], stored, tasks, answered, revoked] = await tx.batch([
    memoryFacts(of),
    storedLessons(of),
    endedTasks(of, [...new Set(taskIds)]),
    answeredAmong(
      of,
      lessons.flatMap(({ humanInboxItemIds }) => humanInboxItemIds),
    ),
    revokedAmong(
      of,
      lessons.flatMap(({ key, supersedes }) => [key, supersedes ?? []].flat()),
      lessons.map(({ lesson }) => wordsDigestOf(lesson)),
    ),
  ]);
  return {
    memory,
    stored: new Map(stored.map((lesson) => [lesson.key, lesson])),
    tasks: new Map(tasks.map((task) => [task.id, task])),
    answered: new Set(answered.map(({ id }) => id)),
    revokedKeys: new Set(revoked.map(({ key }) => key)),
    isRevoked: isRevokedBy(revoked),
  };
}
