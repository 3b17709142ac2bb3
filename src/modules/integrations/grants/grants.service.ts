import { Injectable } from '@nestjs/common';
import type { OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { Transactions, type Tx } from '../../../kernel/database/index.ts';
import { ApiError, EdgeErrors, EdgeIssues, issueAt } from '../../../kernel/errors/index.ts';
import { byRef, ConnectorChangesService, requireRevision } from '../changes/connector-changes.service.ts';
import type { GrantedProfile } from '../readiness/connectors.queries.ts';
import type { StandingConnector } from '../readiness/readiness.service.ts';
import { profilesByKey, replaceGrants } from './grants.queries.ts';

/** Who may use a connector, as an owner says it. */
export interface GivenGrants {
  readonly profileGrants: readonly string[];
  readonly readOnlyProfileKeys: readonly string[];
  readonly expectedRevision?: number;
}

/** The same with profiles that exist. */
export interface KnownGrants {
  readonly profileIds: readonly string[];
  readonly readOnlyIds: readonly string[];
}

@Injectable()
export class GrantsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly changes: ConnectorChangesService,
  ) {}

  /** Lets these profiles use a connector, and no others. */
  async replace(
    owner: OwnerPrincipal,
    organizationId: string,
    ref: string,
    given: GivenGrants,
  ): Promise<StandingConnector> {
    return this.transactions.statementsInOrganization(owner, organizationId, async (tx) => {
      const changed = await this.changes.change(tx, byRef(ref), { actor: owner }, async (held) => {
        requireRevision(held, 'grants', given.expectedRevision);
        const { profileIds, readOnlyIds } = await knownGrants(tx, given);
        if (!differ(held.row.grants, given)) return undefined;
        return {
          statements: replaceGrants(organizationId, held.row.id, profileIds, readOnlyIds),
          moves: ['grants'],
          entries: [{ verb: 'integration.updated', details: { changed: ['profileGrants'] } }],
        };
      });
      return changed!;
    });
  }
}

/** The profiles that are named; 400 at what names none, or reads only without being granted. */
export async function knownGrants(
  tx: Tx,
  { profileGrants, readOnlyProfileKeys }: Pick<GivenGrants, 'profileGrants' | 'readOnlyProfileKeys'>,
): Promise<KnownGrants> {
  const profiles = await tx.rows(profilesByKey(tx.organizationId, profileGrants));
  const ids = new Map(profiles.map(({ key, id }) => [key, id]));
  const issues = [
    ...profileGrants.flatMap((key, index) =>
      ids.has(key) ? [] : [issueAt(`profileGrants.${index}`, EdgeIssues.unknownReference, 'names no agent profile')],
    ),
    ...readOnlyProfileKeys.flatMap((key, index) =>
      profileGrants.includes(key)
        ? []
        : [issueAt(`readOnlyProfileKeys.${index}`, EdgeIssues.unknownReference, 'is not among profileGrants')],
    ),
  ];
  if (issues.length > 0) throw new ApiError(EdgeErrors.validationFailed, { issues });
  return { profileIds: [...ids.values()], readOnlyIds: readOnlyProfileKeys.map((key) => ids.get(key)!) };
}

/** Whether what is given differs from what stands; the operator only reads, whatever is given. */
function differ(grants: readonly GrantedProfile[], given: GivenGrants): boolean {
  const readOnly = new Set(given.readOnlyProfileKeys);
  const wanted = new Map(given.profileGrants.map((key) => [key, key === 'operator' || readOnly.has(key)]));
  return wanted.size !== grants.length || grants.some((grant) => wanted.get(grant.key) !== grant.readOnly);
}
