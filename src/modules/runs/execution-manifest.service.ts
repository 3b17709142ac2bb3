import { Injectable } from '@nestjs/common';
import { type ExecutionPrincipal, LiveExecutions } from '../../kernel/auth/index.ts';
import { Reads } from '../../kernel/database/index.ts';
import { type PinnedProfileRow, pinnedProfile, toPinnedProfile } from '../agent-profiles/index.ts';
import { organizationById, type OrganizationRow, toOrganization } from '../organizations/index.ts';
import { type TaskRow, toTask } from '../tasks/index.ts';
import type { ManifestDto, PriorAttemptDto, RelatedTaskDto } from './execution.dto.ts';
import {
  childrenOf,
  findingsOf,
  pinOf,
  prerequisitesOf,
  priorAttemptsOf,
  runFacts,
  type RunFactsRow,
  taskOfRun,
} from './execution.queries.ts';
import { type ManifestExtras, ManifestParts } from './manifest-parts.ts';
import { withinLimit } from './manifest-size.ts';

/** What the statements of a manifest answer, one list each. */
type Sets = readonly [
  readonly [OrganizationRow],
  readonly [PinnedProfileRow],
  readonly [TaskRow],
  readonly [RunFactsRow],
  readonly RelatedTaskDto[],
  readonly RelatedTaskDto[],
  readonly PriorAttemptDto[],
  readonly { findings: object[] }[],
  ...(readonly unknown[])[],
];

/** The manifest of a run: everything that it needs to go on, as it stands now. One round trip. */
@Injectable()
export class ExecutionManifest {
  constructor(
    private readonly reads: Reads,
    private readonly executions: LiveExecutions,
    private readonly parts: ManifestParts,
  ) {}

  read(execution: ExecutionPrincipal): Promise<ManifestDto> {
    const { organizationId, executionId } = execution;
    const own = [
      organizationById(organizationId),
      pinnedProfile(pinOf(organizationId, executionId)),
      taskOfRun(organizationId, executionId),
      runFacts(organizationId, executionId),
      prerequisitesOf(organizationId, executionId),
      childrenOf(organizationId, executionId),
      priorAttemptsOf(organizationId, executionId),
      findingsOf(organizationId, executionId),
    ];
    return this.reads.listThrough(this.executions.entry(execution), {
      statements: () => [...own, ...this.parts.statements(execution)],
      result: (sets) =>
        withinLimit(toManifest(executionId, sets as unknown as Sets, this.parts.extras(sets.slice(own.length)))),
    });
  }
}

function toManifest(executionId: string, sets: Sets, extras: ManifestExtras): ManifestDto {
  const [[organizationRow], [profile], [taskRow], [run], dependencies, children, priorAttempts, [rejected]] = sets;
  const { config, constraints, id, slug, name, website, defaultCurrency, authorizationEpoch } =
    toOrganization(organizationRow);
  const { departments, limits, timezone } = config;
  const task = toTask(taskRow);
  const { mode, attempt, agentRuns, attemptsInPhase, replans, actions, unverifiedResult, unverifiedRunId, issuedAt } =
    run;
  return {
    kind: 'task_run',
    executionId,
    organization: {
      id,
      slug,
      name,
      website,
      timezone,
      defaultCurrency,
      departments,
      constraints,
      limits,
      authorizationEpoch,
    },
    profile: toPinnedProfile(profile),
    task,
    mode,
    attempt,
    budgetLeft: { agentRuns, attemptsInPhase, replans, actions },
    dependencies: [...dependencies],
    children: [...children],
    priorAttempts: [...priorAttempts],
    unverified:
      unverifiedResult &&
      ({ ...pick(task), result: unverifiedResult, runId: unverifiedRunId } satisfies RelatedTaskDto),
    verificationFindings: rejected?.findings ?? [],
    // What these name comes with the modules that keep it: inbox, actions, integrations, onboarding, learning.
    answers: [],
    decisions: [],
    unresolvedActions: [],
    plan: { graphRevision: task.graphRevision, limits },
    checkpoints: extras.checkpoints ?? [],
    integrations: [],
    context: [],
    memory: null,
    issuedAt,
  };
}

function pick({ id, identifier, title, status }: ManifestDto['task']) {
  return { taskId: id, identifier, title, status };
}
