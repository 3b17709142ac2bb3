import type { Statement } from '../../../kernel/database/index.ts';
import type { DecidedAction, UnresolvedAction } from '../../actions/index.ts';
import type { LimitsDto } from '../../organizations/index.ts';
import type { ClosedQuestion } from '../../inbox/index.ts';
import type { FindingDto } from '../../runs/index.ts';
import { type TaskRow, toTask } from '../../tasks/index.ts';
import { boundedAnswers } from './manifest-answers.ts';
import type { ResolvedInputDto, PriorAttemptDto, RelatedTaskDto } from './manifest-task.dto.ts';
import type { ManifestDto } from './manifest.dto.ts';
import {
  answersOf,
  artifactInputsOf,
  childrenOf,
  decisionsOf,
  findingsOf,
  pinOf,
  prerequisitesOf,
  priorAttemptsOf,
  runFacts,
  type RunFactsRow,
  taskOfRun,
  unresolvedOf,
} from './run-manifest.queries.ts';
import type { ManifestOfKind } from './manifest-of-kind.ts';

type Sets = readonly [
  readonly [TaskRow],
  readonly [RunFactsRow],
  readonly RelatedTaskDto[],
  readonly RelatedTaskDto[],
  readonly PriorAttemptDto[],
  readonly { findings: FindingDto[] }[],
  readonly ResolvedInputDto[],
  readonly DecidedAction[],
  readonly UnresolvedAction[],
  readonly ClosedQuestion[],
];

/** What a run finds in its manifest: its task with all that it needs to continue. */
export const runManifest: ManifestOfKind = {
  pin: pinOf,
  statements: (organizationId, runId): Statement[] =>
    [
      taskOfRun,
      runFacts,
      prerequisitesOf,
      childrenOf,
      priorAttemptsOf,
      findingsOf,
      artifactInputsOf,
      decisionsOf,
      unresolvedOf,
      answersOf,
    ].map((of) => of(organizationId, runId)),
  own: (sets, limits) => toOwn(sets as unknown as Sets, limits),
};

function toOwn(
  [
    [taskRow],
    [run],
    dependencies,
    children,
    priorAttempts,
    [rejected],
    artifactInputs,
    decisions,
    unresolvedActions,
    answers,
  ]: Sets,
  limits: LimitsDto,
): ReturnType<ManifestOfKind['own']> {
  const task = toTask(taskRow);
  const { mode, attempt, agentRuns, attemptsInPhase, replans, actions, unverifiedResult, unverifiedRunId, issuedAt } =
    run;
  return {
    task,
    mode,
    attempt,
    budgetLeft: { agentRuns, attemptsInPhase, replans, actions },
    dependencies: [...dependencies],
    children: [...children],
    artifactInputs: [...artifactInputs],
    priorAttempts: [...priorAttempts],
    unverified:
      unverifiedResult &&
      ({ ...pick(task), result: unverifiedResult, runId: unverifiedRunId } satisfies RelatedTaskDto),
    verificationFindings: rejected?.findings ?? [],
    answers: boundedAnswers(answers),
    decisions: [...decisions],
    unresolvedActions: [...unresolvedActions],
    plan: { graphRevision: task.graphRevision, limits },
    issuedAt,
  };
}

function pick({ id, identifier, title, status }: NonNullable<ManifestDto['task']>) {
  return { taskId: id, identifier, title, status };
}
