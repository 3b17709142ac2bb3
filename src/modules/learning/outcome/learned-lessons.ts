import { isDeepStrictEqual } from 'node:util';
import { wordsDigestOf } from '../../knowledge/index.ts';
import type { NewLesson, StoredLesson } from '../memory.queries.ts';

/** A lesson as an outcome has it, with ids in lower case. */
export function normalized(lesson: NewLesson): NewLesson {
  return {
    ...lesson,
    sourceTaskIds: lesson.sourceTaskIds.map((id) => id.toLowerCase()),
    humanInboxItemIds: lesson.humanInboxItemIds.map((id) => id.toLowerCase()),
  };
}

/**
 * Whether a lesson is the stored one of its key: the same text, and each of its sources the same or left out. Such a lesson
 * stands as it is, since what it rests on may have been purged.
 */
export function isStored(lesson: NewLesson, stored: StoredLesson | undefined): boolean {
  if (stored?.lesson !== lesson.lesson) return false;
  const isSame = (given: readonly unknown[], kept: readonly unknown[]) =>
    given.length === 0 || isDeepStrictEqual(given.map(plain), kept.map(plain));
  return (
    isSame(lesson.sourceTaskIds, stored.sourceTaskIds) &&
    isSame(lesson.evidence, stored.evidence) &&
    isSame(lesson.humanInboxItemIds, stored.humanInboxItemIds) &&
    (lesson.supersedes === null || lesson.supersedes === stored.supersedes)
  );
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

/** Tells the lessons that owners took back, whatever their key. */
export function isRevokedBy(revoked: readonly { readonly key: string; readonly digest: string }[]) {
  const [keys, digests] = [new Set(revoked.map(({ key }) => key)), new Set(revoked.map(({ digest }) => digest))];
  return ({ key, lesson }: NewLesson): boolean => keys.has(key) || digests.has(wordsDigestOf(lesson));
}
