import { Injectable } from '@nestjs/common';
import { Capabilities, type ExecutionPrincipal } from '../../../kernel/auth/index.ts';
import type { TaskPhase } from '../../tasks/index.ts';

/** The profile that a capability acts for. */
export interface RunProfile {
  readonly profileKey: string;
  readonly profileKind: ExecutionPrincipal['profileKind'];
  readonly department: string | null;
}

interface TokenOfRun extends RunProfile {
  readonly organizationId: string;
  readonly agentProfileId: string;
  readonly runId: string;
  readonly mode: TaskPhase;
  /** The lease's generation: a later attempt is another run, with a higher one. */
  readonly attempt: number;
  readonly capabilityExpiresAt: string;
}

/** Signs the capabilities of runs. */
@Injectable()
export class ExecutionTokensService {
  constructor(private readonly capabilities: Capabilities) {}

  issue({ runId, attempt, capabilityExpiresAt, ...run }: TokenOfRun): string {
    return this.capabilities.issue({
      organizationId: run.organizationId,
      agentProfileId: run.agentProfileId,
      profileKey: run.profileKey,
      profileKind: run.profileKind,
      department: run.department,
      execution: 'task_run',
      executionId: runId,
      mode: run.mode,
      generation: attempt,
      expiresAt: capabilityExpiresAt,
    });
  }
}
