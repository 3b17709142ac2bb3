import { Injectable } from '@nestjs/common';
import type { OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { Reads, Transactions } from '../../../kernel/database/index.ts';
import { ApiError, EdgeErrors, EdgeIssues, invalid } from '../../../kernel/errors/index.ts';
import { ActivityLogService } from '../../organizations/index.ts';
import { conflict, IntegrationIssues } from '../integration.errors.ts';
import { keysOf } from './preference-order.ts';
import type { PreferencesDto } from './preferences.dto.ts';
import { lockPreferences, type Preferences, preferencesOf, setPreferences } from './preferences.queries.ts';

const STALE = 'The preferences have another revision by now; read them again.';

/** Which connector of a purpose comes first. It ranks and never authorizes. */
@Injectable()
export class PreferencesService {
  constructor(
    private readonly reads: Reads,
    private readonly transactions: Transactions,
    private readonly activity: ActivityLogService,
  ) {}

  async read(owner: OwnerPrincipal, organizationId: string): Promise<PreferencesDto> {
    const [preferences] = await this.reads.inOrganization(owner, organizationId, preferencesOf(organizationId));
    // An organization that is being onboarded has none yet.
    return toPreferences(preferences ?? { revision: 1, order: {} });
  }

  set(
    owner: OwnerPrincipal,
    organizationId: string,
    purpose: string,
    { expectedRevision, connectorKeys }: { readonly expectedRevision: number; readonly connectorKeys: string[] },
  ): Promise<PreferencesDto> {
    return this.transactions.statementsInOrganization(owner, organizationId, async (tx) => {
      const [preferences] = await tx.rows(lockPreferences(organizationId));
      if (!preferences) throw new ApiError(EdgeErrors.organizationNotFound);
      const { revision, order } = preferences;
      if (revision !== expectedRevision) throw conflict(IntegrationIssues.staleRevision, STALE, 'expectedRevision');
      const present = keysOf(order, purpose);
      if (present.length === 0)
        throw invalid('purpose', EdgeIssues.unknownReference, 'is no purpose of a connector that was ever usable');
      if (connectorKeys.toSorted().join() !== present.toSorted().join())
        throw invalid('connectorKeys', IntegrationIssues.notAPermutation);
      if (connectorKeys.join() === present.join()) return toPreferences(preferences);
      const after = { revision: revision + 1, order: { ...order, [purpose]: connectorKeys } };
      await tx.batch([
        setPreferences(organizationId, after),
        ...this.activity.entry(tx, {
          actor: owner,
          verb: 'preferences.updated',
          subject: { kind: 'preferences', id: organizationId, label: purpose },
          details: { purpose },
        }),
      ]);
      return toPreferences(after);
    });
  }
}

function toPreferences({ revision, order }: Preferences): PreferencesDto {
  return { revision, order: Object.fromEntries(Object.entries(order).map(([key, keys]) => [key, [...keys]])) };
}
