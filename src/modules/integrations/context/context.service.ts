import { Injectable } from '@nestjs/common';
import { type ExecutionPrincipal, LiveExecutions, type OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { canonicalText } from '../../../kernel/crypto/index.ts';
import { Transactions } from '../../../kernel/database/index.ts';
import { EdgeIssues, invalid } from '../../../kernel/errors/index.ts';
import { byRef, ConnectorChangesService, requireRevision } from '../changes/connector-changes.service.ts';
import type { ContextMappingDto } from '../integration-body.dto.ts';
import { toIntegration } from '../integration-projection.ts';
import type { IntegrationDto } from '../integration.dto.ts';
import { conflict, IntegrationIssues } from '../integration.errors.ts';
import type { GivenContextDto } from '../operating-context.dto.ts';
import type { StandingConnector } from '../readiness/readiness.service.ts';
import { contextOf } from './given-context.ts';

export interface AgentContext {
  readonly expectedRevision: number;
  readonly authorizationEpoch: number;
  readonly context: GivenContextDto;
}

const ENTRIES = [{ verb: 'integration.context_updated' }] as const;

/** What an organization uses a connector for, as owners map it and agents in their work learn it. */
@Injectable()
export class ContextService {
  constructor(
    private readonly transactions: Transactions,
    private readonly executions: LiveExecutions,
    private readonly changes: ConnectorChangesService,
  ) {}

  /** Replaces the whole context. */
  async replace(
    owner: OwnerPrincipal,
    organizationId: string,
    ref: string,
    { expectedRevision, context }: ContextMappingDto,
  ): Promise<IntegrationDto> {
    const options = { actor: owner, mayMoveEpoch: false };
    const changed = await this.transactions.statementsInOrganization(owner, organizationId, (tx) =>
      this.changes.change(tx, byRef(ref), options, (held) => {
        requireRevision(held, 'context', expectedRevision);
        return changeTo(held, contextOf(context, null, held));
      }),
    );
    return toIntegration(changed!);
  }

  /** Replaces the given fields, by a chat turn or a run of the operator that cannot end before. */
  async update(execution: ExecutionPrincipal, key: string, given: AgentContext): Promise<StandingConnector> {
    const { expectedRevision, authorizationEpoch, context } = given;
    if (context.departments !== undefined) throw invalid('context.departments', EdgeIssues.notPermitted);
    const options = { actor: execution, mayMoveEpoch: false };
    const access = this.executions.access(execution, { enabledProfile: true, lane: 'ordinary' });
    const changed = await this.transactions.through(access, (tx) =>
      this.changes.change(tx, { key }, options, async (held) => {
        // Behind the connector in the order of locks.
        await this.executions.hold(tx, execution);
        if (held.row.organization.authorizationEpoch !== authorizationEpoch)
          throw conflict(IntegrationIssues.staleEpoch, undefined, 'authorizationEpoch');
        requireRevision(held, 'context', expectedRevision);
        return changeTo(held, contextOf(context, held.row.context, held));
      }),
    );
    return changed!;
  }
}

function changeTo({ row }: StandingConnector, context: NonNullable<StandingConnector['row']['context']>) {
  if (canonicalText(row.context) === canonicalText(context)) return undefined;
  return { set: { context }, moves: ['context'], entries: ENTRIES } as const;
}
