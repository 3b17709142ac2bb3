import { canonicalDigest } from '../../../kernel/crypto/index.ts';
import { EdgeIssues, type Issue, issueAt } from '../../../kernel/errors/index.ts';
import { type LessonEvidenceDto, RunIssues } from '../../runs/index.ts';
import type { CycleState, LearningResult } from './cycle-state.ts';
import { isStored, normalized } from './learned-lessons.ts';
import type { NewLesson } from '../memory.queries.ts';

/** Of issues about a state that may change. */
export const CONFLICTS: ReadonlySet<string> = new Set([
  RunIssues.memoryRevisionStale.code,
  RunIssues.watermarkBackwards.code,
]);

const NO_TASK = 'names no task of this profile that has ended';

/** Why a result cannot be what the profile has learned now, evidence aside. */
export function* learningIssues(result: LearningResult, state: CycleState): Generator<Issue> {
  const { revision = 0, learnedRevision = 0 } = state.memory ?? {};
  const { expectedRevision } = result;
  if (expectedRevision < learnedRevision || expectedRevision > revision)
    yield issueAt('expectedRevision', RunIssues.memoryRevisionStale);
  yield* watermarkIssues(result.watermarkTaskId, state);
  const keys = new Set(result.lessons.map(({ key }) => key));
  for (const { path, lesson } of checkedLessons(result, state)) {
    yield* sourceIssues(path, lesson, state);
    const { supersedes } = lesson;
    if (supersedes === null) continue;
    const isKnown = state.stored.has(supersedes) || state.revokedKeys.has(supersedes);
    if (keys.has(supersedes) || !isKnown)
      yield issueAt(
        `${path}.supersedes`,
        EdgeIssues.unknownReference,
        'names no stored lesson that the list leaves out',
      );
  }
}

/** The evidence that has to be looked at, each with its place. */
export function citedBy(result: LearningResult, state: CycleState) {
  const kept = new Set((state.memory?.suggestions ?? []).map((suggestion) => canonicalDigest(suggestion)));
  const fresh = result.suggestions.flatMap((suggestion, place) =>
    kept.has(canonicalDigest(suggestion)) ? [] : [{ path: `suggestions.${place}`, evidence: suggestion.evidence }],
  );
  const lessons = [...checkedLessons(result, state)].map(({ path, lesson }) => ({ path, evidence: lesson.evidence }));
  return [...lessons, ...fresh].flatMap(
    ({ path, evidence }: { path: string; evidence: readonly LessonEvidenceDto[] }) =>
      evidence.map((cited, place) => ({ path: `${path}.evidence.${place}`, cited })),
  );
}

/** The lessons that are neither stored as they are nor dropped. */
function* checkedLessons({ lessons }: LearningResult, { stored, isRevoked }: CycleState) {
  for (const [place, lesson] of lessons.map(normalized).entries())
    if (!isStored(lesson, stored.get(lesson.key)) && !isRevoked(lesson)) yield { path: `lessons.${place}`, lesson };
}

function* watermarkIssues(taskId: string | null, { memory, tasks }: CycleState): Generator<Issue> {
  if (taskId === (memory?.watermarkTaskId ?? null)) return;
  const task = taskId === null ? undefined : tasks.get(taskId);
  if (taskId !== null && !task) yield issueAt('watermarkTaskId', EdgeIssues.unknownReference, NO_TASK);
  else if (!task?.isBehind) yield issueAt('watermarkTaskId', RunIssues.watermarkBackwards);
}

function* sourceIssues(path: string, lesson: NewLesson, { tasks, answered }: CycleState): Generator<Issue> {
  for (const [place, id] of lesson.sourceTaskIds.entries())
    if (!tasks.has(id)) yield issueAt(`${path}.sourceTaskIds.${place}`, EdgeIssues.unknownReference, NO_TASK);
  for (const [place, id] of lesson.humanInboxItemIds.entries())
    if (!answered.has(id))
      yield issueAt(
        `${path}.humanInboxItemIds.${place}`,
        EdgeIssues.unknownReference,
        'names no learning input of this profile that was answered',
      );
  if (lesson.sourceTaskIds.length + lesson.humanInboxItemIds.length === 0)
    yield issueAt(path, RunIssues.sourceRequired);
}
