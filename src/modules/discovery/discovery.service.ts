import { Injectable } from '@nestjs/common';
import type { OwnerPrincipal } from '../../kernel/auth/index.ts';
import { Reads, Transactions, type Tx } from '../../kernel/database/index.ts';
import { ApiError, EdgeErrors } from '../../kernel/errors/index.ts';
import { ActivityLogService, DEPARTMENTS } from '../organizations/index.ts';
import type { DepartmentDiscoveriesDto, DiscoveryDto } from './discovery.dto.ts';
import { DiscoveryIntentionsService } from './discovery-intentions.service.ts';
import { discoveryStatus } from './discovery.policy.ts';
import {
  completeSetup,
  discoveryFacts,
  type DiscoveryFacts,
  insertDiscovery,
  type IntentionRow,
  intentionsOf,
  lockDiscovery,
} from './discovery.queries.ts';

/** What owners see of discovery, and the word by which they release the departments. */
@Injectable()
export class DiscoveryService {
  constructor(
    private readonly reads: Reads,
    private readonly transactions: Transactions,
    private readonly intentions: DiscoveryIntentionsService,
    private readonly activity: ActivityLogService,
  ) {}

  read(owner: OwnerPrincipal, organizationId: string): Promise<DiscoveryDto> {
    return this.reads.listInOrganization(owner, organizationId, {
      statements: () => statementsOf(organizationId),
      result: ([[facts], intentions]) => toDiscovery(facts, intentions),
    });
  }

  /** Notes the time once, and releases the departments where the research is done; again, it changes nothing. */
  completeSetup(owner: OwnerPrincipal, organizationId: string): Promise<DiscoveryDto> {
    return this.transactions.statementsInOrganization(owner, organizationId, async (tx) => {
      await tx.batch([insertDiscovery(organizationId), lockDiscovery(organizationId)]);
      const [facts] = await tx.rows(discoveryFacts(organizationId));
      const completed = facts ? await tx.rows(completeSetup(organizationId, facts.now)) : [];
      if (completed.length > 0) {
        await this.intentions.release(tx);
        await this.activity.record(tx, {
          actor: owner,
          verb: 'integration_setup.completed',
          subject: { kind: 'organization', id: organizationId, label: 'integration setup' },
        });
      }
      return this.readIn(tx);
    });
  }

  private async readIn(tx: Tx): Promise<DiscoveryDto> {
    const [[facts], intentions] = await tx.batch(statementsOf(tx.organizationId));
    return toDiscovery(facts, intentions);
  }
}

function statementsOf(organizationId: string) {
  return [discoveryFacts(organizationId), intentionsOf(organizationId)] as const;
}

function toDiscovery(facts: DiscoveryFacts | undefined, intentions: readonly IntentionRow[]): DiscoveryDto {
  if (!facts) throw new ApiError(EdgeErrors.organizationNotFound);
  const { integrationSetupCompletedAt, enabledDepartments } = facts;
  const isSetUp = integrationSetupCompletedAt !== null;
  const byKey = new Map<string, IntentionRow>(intentions.map((intention) => [intention.key, intention]));
  return {
    status: discoveryStatus({ intentions, isSetUp, enabledDepartments }),
    integrationSetupCompletedAt,
    intentions: intentions.filter(({ kind }) => kind === 'research').map(toIntention),
    departments: Object.fromEntries(
      DEPARTMENTS.map((key) => {
        const { status, taskId } = byKey.get(key) ?? {};
        return [key, status === undefined ? null : { status, taskId: taskId ?? null }];
      }),
    ) as unknown as DepartmentDiscoveriesDto,
  };
}

function toIntention({ key, status, attempts, taskId, nextAttemptAt }: IntentionRow) {
  return { key, status, attempts, taskId, nextAttemptAt };
}
