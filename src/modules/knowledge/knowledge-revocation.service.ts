import { Injectable } from '@nestjs/common';
import type { OwnerPrincipal } from '../../kernel/auth/index.ts';
import { Transactions } from '../../kernel/database/index.ts';
import { ApiError } from '../../kernel/errors/index.ts';
import { refuseUnsafeTexts } from '../../kernel/logging/index.ts';
import { ActivityLogService } from '../organizations/index.ts';
import { audienceOfOwner } from './audience.queries.ts';
import { ConnectorStandings } from './connector-standings.port.ts';
import { hidePassages, keyOf, lockKey, revoke } from './knowledge-moves.queries.ts';
import { toKnowledgeDetail } from './knowledge-row.ts';
import type { KnowledgeDetailDto } from './knowledge.dto.ts';
import { KnowledgeErrors } from './knowledge.errors.ts';
import { knowledgeById } from './knowledge.queries.ts';

/** Lets owners take records back: no execution finds one any more, nor publishes its finding again. */
@Injectable()
export class KnowledgeRevocationService {
  constructor(
    private readonly transactions: Transactions,
    private readonly standings: ConnectorStandings,
    private readonly activity: ActivityLogService,
  ) {}

  revoke(owner: OwnerPrincipal, organizationId: string, id: string, reason: string): Promise<KnowledgeDetailDto> {
    // Shown to every agent that finds the same again.
    refuseUnsafeTexts({ reason });
    return this.transactions.statementsInOrganization(owner, organizationId, async (tx) => {
      const [known] = await tx.rows(keyOf(organizationId, id));
      if (!known) throw new ApiError(KnowledgeErrors.notFound);
      const by = { kind: 'owner' as const, id: owner.subject, name: owner.name };
      const [, [revoked]] = await tx.batch([
        lockKey(organizationId, known.key),
        revoke(organizationId, id, { reason, by }),
      ]);
      if (revoked)
        await tx.batch([
          hidePassages(organizationId, id),
          ...this.activity.entry(tx, {
            actor: owner,
            verb: 'knowledge.revoked',
            subject: { kind: 'knowledge', id, label: revoked.title },
            details: { key: revoked.key },
          }),
        ]);
      const audience = audienceOfOwner(await this.standings.of(tx, null));
      const [row] = await tx.rows(knowledgeById(organizationId, audience, id));
      return toKnowledgeDetail(row!);
    });
  }
}
