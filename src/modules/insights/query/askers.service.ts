import { Injectable } from '@nestjs/common';
import {
  type ExecutionPrincipal,
  LiveExecutions,
  type OwnerPrincipal,
  type ServicePrincipal,
} from '../../../kernel/auth/index.ts';
import { Reads, type Statement } from '../../../kernel/database/index.ts';
import { ApiError, EdgeErrors, EdgeIssues, invalid, issueAt, unauthorized } from '../../../kernel/errors/index.ts';
import { activeAccess, BOOTSTRAP, type OrganizationAccess, ownerAccess } from '../../../kernel/tenancy/index.ts';
import { InsightErrors } from '../insight.errors.ts';
import { profileStatus } from './standing.queries.ts';

export type Agent = ServicePrincipal | ExecutionPrincipal;
export type Asking = OwnerPrincipal | Agent;

/** Who asks, as receipts keep it. */
export interface Caller {
  readonly kind: 'owner' | 'service' | 'execution';
  readonly subject?: string;
  readonly agentProfileId?: string;
  readonly executionId?: string;
}

/** A caller on the way into the organization. */
export interface Asker {
  readonly organizationId: string;
  /** The first time, which is counted where an administrator's is. */
  readonly access: OrganizationAccess;
  readonly againAccess: OrganizationAccess;
  /** What is read with the first statements, of which `admit` judges the rows. */
  readonly profile: readonly Statement<{ readonly status: string }>[];
  readonly admit: (rows: readonly { readonly status: string }[]) => void;
  readonly caller: Caller;
}

/** Lets owners in by their membership, executions while they live, and runtimes for an enabled profile that they name. */
@Injectable()
export class AskersService {
  constructor(
    private readonly executions: LiveExecutions,
    private readonly reads: Reads,
  ) {}

  /** Refuses a profile that is not there or disabled, for calls that read nothing else first. */
  async requireProfile({ access, profile, admit }: Asker): Promise<void> {
    for (const statement of profile) admit(await this.reads.through(access, statement));
  }

  of(asking: Asking, organizationId: string, agentProfileId: string | undefined): Asker {
    const admitted = { organizationId, profile: [], admit: () => undefined };
    if (asking.kind === 'owner') {
      const { subject } = asking;
      return {
        ...admitted,
        access: ownerAccess(asking, organizationId, { counted: subject === BOOTSTRAP }),
        againAccess: ownerAccess(asking, organizationId, { counted: false }),
        caller: { kind: 'owner', subject },
      };
    }
    if (asking.kind === 'execution') {
      if (agentProfileId !== undefined && agentProfileId !== asking.agentProfileId)
        throw unauthorized(EdgeErrors.agentUnauthorized, EdgeIssues.notForThisProfile);
      const access = this.executions.access(asking, { enabledProfile: true, lane: 'ordinary' });
      const { executionId } = asking;
      const caller = { kind: 'execution', agentProfileId: asking.agentProfileId, executionId } as const;
      return { ...admitted, access, againAccess: access, caller };
    }
    if (agentProfileId === undefined) throw invalid('agentProfileId', EdgeIssues.required);
    const access = activeAccess(organizationId, EdgeErrors.notFound, 'ordinary');
    return {
      organizationId,
      access,
      againAccess: access,
      profile: [profileStatus(organizationId, agentProfileId)],
      admit: requireEnabled,
      caller: { kind: 'service', agentProfileId },
    };
  }
}

function requireEnabled([profile]: readonly { readonly status: string }[]): void {
  if (!profile) throw new ApiError(InsightErrors.profileNotFound);
  if (profile.status !== 'enabled')
    throw new ApiError(InsightErrors.profileDisabled, { issues: [issueAt('', EdgeIssues.profileDisabled)] });
}
