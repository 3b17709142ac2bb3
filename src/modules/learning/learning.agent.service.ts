import { Injectable } from '@nestjs/common';
import { type ExecutionPrincipal, LiveExecutions } from '../../kernel/auth/index.ts';
import { Reads, Transactions, type Tx } from '../../kernel/database/index.ts';
import { ApiError, EdgeErrors, EdgeIssues, unauthorized } from '../../kernel/errors/index.ts';
import { sourceOfTurn } from '../chats/index.ts';
import { LearningCyclesService } from './learning-cycles.service.ts';
import type { LearningCycleDto, LearningDto } from './learning.dto.ts';
import { LearningErrors } from './learning.errors.ts';
import { holdProfile } from './learning.queries.ts';
import { learningList } from './learning.service.ts';

const ORDINARY = { lane: 'ordinary' } as const;

/** What executions do with learning: those of a department with their own profile’s, operator and chat with all. */
@Injectable()
export class LearningAgentService {
  constructor(
    private readonly reads: Reads,
    private readonly transactions: Transactions,
    private readonly executions: LiveExecutions,
    private readonly cycles: LearningCyclesService,
  ) {}

  list(execution: ExecutionPrincipal): Promise<LearningDto[]> {
    return this.of(execution, isLimited(execution) ? execution.profileKey : null);
  }

  async read(execution: ExecutionPrincipal, profileKey: string): Promise<LearningDto> {
    // Another's is read like one that is not there.
    const isOpen = !isLimited(execution) || profileKey === execution.profileKey;
    const [learning] = isOpen ? await this.of(execution, profileKey) : await this.nothing(execution);
    if (!learning) throw new ApiError(LearningErrors.profileNotFound);
    return learning;
  }

  refresh(execution: ExecutionPrincipal, profileKey: string): Promise<LearningCycleDto> {
    if (isLimited(execution) && profileKey !== execution.profileKey)
      throw unauthorized(EdgeErrors.agentUnauthorized, EdgeIssues.notForThisProfile);
    const access = this.executions.access(execution, { ...ORDINARY, enabledProfile: true });
    return this.transactions.through(access, async (tx) => {
      const [profile] = await tx.rows(holdProfile(tx.organizationId, profileKey));
      if (!profile) throw new ApiError(LearningErrors.profileNotFound);
      if (!profile.isEnabled) throw new ApiError(LearningErrors.profileDisabled);
      const origin = { ...(await originOf(tx, execution)), actor: execution };
      const { cycle } = await this.cycles.begin(tx, profile.id, origin);
      // Behind the tasks in the order of locks: nothing begins behind the end of who asked.
      await this.executions.hold(tx, execution);
      return cycle;
    });
  }

  private of(execution: ExecutionPrincipal, profileKey: string | null): Promise<LearningDto[]> {
    const { organizationId } = execution;
    return this.reads.listThrough(
      this.executions.access(execution, ORDINARY),
      learningList({ organizationId, profileKey }),
    );
  }

  /** Whether the execution lives all the same. */
  private nothing(execution: ExecutionPrincipal): Promise<LearningDto[]> {
    return this.reads.listThrough(this.executions.access(execution, ORDINARY), {
      statements: () => [],
      result: () => [],
    });
  }
}

function isLimited({ profileKind }: ExecutionPrincipal): boolean {
  return profileKind === 'department';
}

/** Provenance is the execution's; of a turn it is the person's message that it answers. */
async function originOf(tx: Tx, { execution, executionId }: ExecutionPrincipal) {
  if (execution === 'task_run') return { createdByRunId: executionId };
  const turn = await sourceOfTurn(tx, executionId);
  return { sourceChatId: turn?.chatId ?? null, sourceMessageId: turn?.messageId ?? null };
}
