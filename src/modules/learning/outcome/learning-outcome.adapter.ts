import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../kernel/database/index.ts';
import type { Issue } from '../../../kernel/errors/index.ts';
import { EvidenceService } from '../../knowledge/index.ts';
import { ActivityLogService } from '../../organizations/index.ts';
import {
  authorOf,
  completedEnd,
  type OutcomeAuthor,
  type OutcomeContext,
  type OutcomeHandler,
  OutcomeHandlers,
  refused,
} from '../../runs/index.ts';
import { TaskEndingService } from '../../tasks/index.ts';
import { type CycleState, cycleState, type LearningResult } from './cycle-state.ts';
import { isStored, normalized } from './learned-lessons.ts';
import { citedBy, CONFLICTS, learningIssues } from './learning-issues.ts';
import {
  beginMemory,
  cycleBegin,
  endCycle,
  forgetLessons,
  lockMemory,
  type MemoryOf,
  writeLesson,
} from '../memory.queries.ts';

/** Ends a cycle: the list of lessons becomes the profile's, but for what owners revoked meanwhile, and the task completes. */
@Injectable()
export class LearningOutcome implements OutcomeHandler<LearningResult> {
  constructor(
    private readonly tasks: TaskEndingService,
    private readonly evidence: EvidenceService,
    private readonly activity: ActivityLogService,
    handlers: OutcomeHandlers,
  ) {
    handlers.register('learning', this);
  }

  isConflict({ code }: Issue): boolean {
    return CONFLICTS.has(code);
  }

  async check(tx: Tx, author: OutcomeAuthor, result: LearningResult): Promise<readonly Issue[]> {
    const state = await cycleState(tx, memoryOf(author), result);
    return this.issuesOf(tx, author, result, state);
  }

  async apply({ tx, attempt, outcome, actor }: OutcomeContext<LearningResult>): Promise<void> {
    const { task, locked } = attempt;
    const author = authorOf(tx.organizationId, attempt);
    const of = memoryOf(author);
    const result = { kind: 'completed', summary: outcome.summary, artifacts: [] } as const;
    await this.tasks.end(tx, locked, task, completedEnd(result), actor);
    // Last in the order of locks; what is read behind it stays so until the commit.
    await tx.batch([beginMemory(of), lockMemory(of)]);
    const state = await cycleState(tx, of, outcome);
    const issues = await this.issuesOf(tx, author, outcome, state, { isOver: true });
    if (issues.length > 0) throw refused(this, issues, 'output.result.');
    const details = await endOf(tx, of, task.id, outcome, state);
    await this.activity.record(tx, {
      actor,
      verb: 'memory.learned',
      subject: { kind: 'agent_profile', id: of.agentProfileId, label: author.execution.profileKey },
      details,
      facts: { taskId: task.id },
    });
  }

  /**
   * `isOver` where the run has ended in this transaction: bytes of its own stay as they were when the outcome was staged,
   * and its result, which names none, says nothing of their paths.
   */
  private async issuesOf(
    tx: Tx,
    { execution }: OutcomeAuthor,
    result: LearningResult,
    state: CycleState,
    { isOver = false } = {},
  ): Promise<Issue[]> {
    const cited = citedBy(result, state).filter(({ cited: { runId } }) => !(isOver && runId === execution.executionId));
    // In one round trip, whatever the number of lessons.
    const named = cited.map((each) => each.cited);
    const found = await this.evidence.issuesOf(tx, execution, named, 'cited');
    const placed = found.map(({ path, code, message }): Issue => {
      const [, nth, ...rest] = path.split('.');
      return { code, message, path: [cited[Number(nth)]!.path, ...rest].join('.') };
    });
    return [...learningIssues(result, state), ...placed];
  }
}

function memoryOf({ execution: { organizationId, agentProfileId } }: OutcomeAuthor): MemoryOf {
  return { organizationId, agentProfileId };
}

/** Writes what stands behind the cycle; answers what it was. */
async function endOf(tx: Tx, of: MemoryOf, taskId: string, result: LearningResult, state: CycleState) {
  const { memory, stored, tasks, isRevoked } = state;
  const { revision: before, now } = memory!;
  const standing = result.lessons.map(normalized).filter((lesson) => !isRevoked(lesson));
  const written = standing.filter((lesson) => !isStored(lesson, stored.get(lesson.key)));
  const [begin] = await tx.rows(cycleBegin(of.organizationId, taskId));
  const watermark = tasks.get(result.watermarkTaskId ?? '');
  const revision = before + 1;
  await tx.batch([
    forgetLessons(
      of,
      standing.map(({ key }) => key),
    ),
    ...written.map((lesson) => writeLesson(of, lesson, now)),
    endCycle(of, {
      revision,
      watermark: watermark ? { taskId: watermark.id, at: watermark.completedAt } : null,
      suggestions: result.suggestions,
      learnedAt: now,
      cycleStartedAt: begin?.at ?? null,
      sourceTaskId: taskId,
    }),
  ]);
  const dropped = result.lessons.length - standing.length;
  return { revision, lessons: standing.length, written: written.length, dropped };
}
