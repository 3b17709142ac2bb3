import { Injectable, Logger } from '@nestjs/common';
import { Transactions, type Tx } from '../../../kernel/database/index.ts';
import { standingAccess } from '../../../kernel/tenancy/index.ts';
import {
  type ConnectorChange,
  ConnectorChangesService,
  type HeldConnector,
} from '../changes/connector-changes.service.ts';
import { NOT_FOUND } from '../integration.errors.ts';
import { generationOf, type Health, type McpMemory } from '../integration.state.ts';
import type { ConnectorRow } from '../readiness/connectors.queries.ts';
import { edgeBetween, type Remembered, seen, type Sighting, withScopes, withSpoken } from './health.policy.ts';

/** A connector as it was when it was asked. */
export type ObservedConnector = Pick<
  ConnectorRow,
  'organizationId' | 'id' | 'health' | 'mcp' | 'requiredScopes' | 'credentialGeneration' | 'settingsRevision'
>;

const HEALTH = { kind: 'system', name: 'integration-health' } as const;

/** Writes down what calls and refreshes see of connectors on the way. */
@Injectable()
export class HealthObservationsService {
  private readonly logger = new Logger('Integrations');

  constructor(
    private readonly transactions: Transactions,
    private readonly changes: ConnectorChangesService,
  ) {}

  /**
   * Takes what was seen of a connector by somebody who asked its provider. What is no news of what the caller read costs
   * nothing, and what is of another generation by now is forgotten. Never fails, since nobody's call depends on it.
   */
  async observe(connector: ObservedConnector, ...sightings: readonly Sighting[]): Promise<void> {
    const { organizationId, id, health, mcp, requiredScopes } = connector;
    const generation = generationOf(connector);
    const isSame = withSpoken(mcp, sightings) === mcp && withScopes(requiredScopes, sightings) === requiredScopes;
    if (isSame && allSeen(health, generation, sightings, '') === health) return;
    try {
      await this.transactions.through(standingAccess(organizationId, NOT_FOUND), (tx) =>
        this.changes.change(tx, { id }, { actor: HEALTH, mayMoveEpoch: false }, async (held) => {
          if (generationOf(held.row) !== generation) return undefined;
          return this.changeTo(
            tx,
            held,
            allSeen(held.row.health, generation, sightings, held.now),
            notedOf(held.row, sightings),
          );
        }),
      );
    } catch (error) {
      this.logger.warn(`what was seen of the integration ${id} is not noted: ${(error as Error).message}`);
    }
  }

  /** What new health changes of a held connector: what the activity log hears of, or else only a note. */
  async changeTo(
    tx: Tx,
    held: HeldConnector,
    health: Health | null,
    noted: Parameters<ConnectorChangesService['noted']>[1] = {},
  ): Promise<ConnectorChange | undefined> {
    const edge = edgeBetween(held.row.health, health, generationOf(held.row));
    if (edge) return { set: { health, ...noted }, entries: [edge] };
    if (health !== held.row.health || Object.keys(noted).length > 0)
      await tx.rows(this.changes.noted(held, { health, ...noted }));
    return undefined;
  }
}

/** What is remembered of a connector beside its health, as far as it is news. */
export function notedOf(
  { mcp, requiredScopes }: Pick<ConnectorRow, 'mcp' | 'requiredScopes'>,
  sightings: readonly Remembered[],
): { readonly mcp?: McpMemory | null; readonly requiredScopes?: readonly string[] } {
  const [spoken, scopes] = [withSpoken(mcp, sightings), withScopes(requiredScopes, sightings)];
  return {
    ...(spoken === mcp ? {} : { mcp: spoken }),
    ...(scopes === requiredScopes ? {} : { requiredScopes: scopes }),
  };
}

function allSeen(
  health: Health | null,
  generation: string,
  sightings: readonly Sighting[],
  now: string,
): Health | null {
  return sightings.reduce((known, sighting) => seen(known, generation, sighting, now), health);
}
