import { Injectable } from '@nestjs/common';
import { Transactions, type Tx } from '../../../kernel/database/index.ts';
import { ApiError } from '../../../kernel/errors/index.ts';
import { standingAccess } from '../../../kernel/tenancy/index.ts';
import type { Actor } from '../../organizations/index.ts';
import {
  type ConnectorChange,
  ConnectorChangesService,
  type HeldConnector,
} from '../changes/connector-changes.service.ts';
import { edgeBetween, seen } from '../health/health.policy.ts';
import { NOT_FOUND } from '../integration.errors.ts';
import { generationOf } from '../integration.state.ts';
import type { Inventory, ListedTool } from '../provider-adapters.port.ts';
import type { ConnectorRow } from '../readiness/connectors.queries.ts';
import type { StandingConnector } from '../readiness/readiness.service.ts';
import { inventoryDueAt, isSameListing, withServer } from './inventory.policy.ts';
import { inventoryOf, storeInventory, type StoredInventory, touchInventory } from './inventory.queries.ts';
import { applyInventory } from './tool-selection.policy.ts';

/** A connector as it was when its tools were asked for. */
export type ListedConnector = Pick<ConnectorRow, 'organizationId' | 'id' | 'credentialGeneration'>;

export interface AppliedListing {
  readonly connector: StandingConnector;
  /** The listing before; undefined where there was none. */
  readonly was: StoredInventory | undefined;
}

const LISTING = { kind: 'system', name: 'integration-inventory' } as const;

/** Takes over what providers list: quarantines what changed, and selects nothing. */
@Injectable()
export class InventoriesService {
  constructor(
    private readonly transactions: Transactions,
    private readonly changes: ConnectorChangesService,
  ) {}

  /**
   * What somebody listed on the way. Returns the connector as it stands behind it; undefined where it was removed, or
   * connected to something else meanwhile, and the listing says nothing of it any more.
   */
  async observe(listed: ListedConnector, inventory: Inventory): Promise<StandingConnector | undefined> {
    return this.byItself(listed, async (tx) => (await this.applyIn(tx, listed, LISTING, inventory))?.connector);
  }

  /** One tool as it was found on the way, undefined where it is not listed any more; of others nothing is said. */
  async observeTool(
    listed: ListedConnector,
    name: string,
    tool: ListedTool | undefined,
  ): Promise<StandingConnector | undefined> {
    return this.byItself(listed, async (tx) => {
      let isStale = false;
      const standing = await this.changes.change(
        tx,
        { id: listed.id },
        { actor: LISTING, mayMoveEpoch: false },
        async (held) => {
          const [stored] = await tx.rows(inventoryOf(tx.organizationId, held.row.id));
          isStale = held.row.credentialGeneration !== listed.credentialGeneration || !stored;
          if (isStale || !stored) return undefined;
          const tools = stored.tools.flatMap((each) => (each.name === name ? (tool ?? []) : each));
          const found = tool && !stored.tools.some((each) => each.name === name) ? [...tools, tool] : tools;
          const inventory = { ...stored, tools: found, mcp: held.row.mcp };
          return isSameListing(stored, inventory) ? undefined : changeBy(held, inventory, stored, stored.listedAt);
        },
      );
      return isStale ? undefined : standing;
    });
  }

  /** The same as `observe` in the caller's transaction. */
  async applyIn(
    tx: Tx,
    listed: ListedConnector,
    actor: Actor,
    inventory: Inventory,
  ): Promise<AppliedListing | undefined> {
    let isStale = false;
    let was: StoredInventory | undefined;
    const connector = await this.changes.change(tx, { id: listed.id }, { actor, mayMoveEpoch: false }, async (held) => {
      isStale = held.row.credentialGeneration !== listed.credentialGeneration;
      if (isStale) return undefined;
      [was] = await tx.rows(inventoryOf(tx.organizationId, held.row.id));
      const known = withServer(inventory, was);
      const change = changeBy(held, known, was, held.now);
      const isNews = !was || !isSameListing(was, known) || change.entries.length > 0;
      if (isNews) return change;
      const { selection: _, ...noted } = change.set;
      await tx.batch([touchInventory(tx.organizationId, held.row.id, held.now), this.changes.noted(held, noted)]);
      return undefined;
    });
    return isStale || !connector ? undefined : { connector, was };
  }

  private async byItself<T>({ organizationId }: ListedConnector, work: (tx: Tx) => Promise<T>): Promise<T | undefined> {
    try {
      return await this.transactions.through(standingAccess(organizationId, NOT_FOUND), work);
    } catch (error) {
      if (error instanceof ApiError && error.row === NOT_FOUND) return undefined;
      throw error;
    }
  }
}

function changeBy(
  { row, now }: HeldConnector,
  inventory: Inventory,
  was: StoredInventory | undefined,
  listedAt: string,
): ConnectorChange & { readonly set: object } {
  const { selection, quarantined } = applyInventory(row.selection, inventory.tools, was?.tools ?? []);
  const generation = generationOf(row);
  const health = seen(row.health, generation, { scope: 'tools' }, now);
  const edge = edgeBetween(row.health, health, generation);
  return {
    set: {
      selection,
      health,
      ...(inventory.mcp ? { mcp: inventory.mcp } : {}),
      inventoryDueAt: inventoryDueAt(now, 0),
      inventoryFailures: 0,
    },
    statements: [storeInventory(row.organizationId, row.id, inventory, listedAt)],
    entries: [
      ...(quarantined.length > 0
        ? [{ verb: 'integration.tools_quarantined', details: { tools: quarantined.length } } as const]
        : []),
      ...(edge ? [edge] : []),
    ],
  };
}
