import { sql, type Statement } from '../../../kernel/database/index.ts';
import { isChosen, type IntegrationRow, type Which } from '../readiness/connectors.queries.ts';

/** What may be changed of a connector. */
export type ChangeableColumns = Omit<
  IntegrationRow,
  'id' | 'organizationId' | 'key' | 'kind' | 'origin' | 'createdAt' | 'updatedAt'
>;

/** Locks a connector; no row where there is none. The time is that of behind the wait. */
export function lockConnector(organizationId: string, which: Which): Statement<{ id: string; now: string }> {
  return sql`
    with held as materialized (
      select i.id from integration i where ${isChosen(organizationId, which)} for no key update)
    select h.id, clock_timestamp() as now from held h`;
}

/** Writes a locked connector as a whole. */
export function updateConnector(organizationId: string, id: string, change: ChangeableColumns, now: string): Statement {
  return sql`
    update integration set
      entry_version = ${change.entryVersion}, name = ${change.name}, description = ${change.description},
      endpoint = ${change.endpoint}, purposes = ${change.purposes}::text[], enabled = ${change.enabled},
      access_mode = ${change.accessMode}, selection = ${json(change.selection)}::jsonb,
      review_required = ${change.reviewRequired}::text[], settings = ${json(change.settings)}::jsonb,
      context = ${json(change.context)}::jsonb, health = ${json(change.health)}::jsonb,
      mcp = ${json(change.mcp)}::jsonb, required_scopes = ${change.requiredScopes}::text[],
      verified_for = ${change.verifiedFor}, verified_resources = ${json(change.verifiedResources)}::jsonb,
      inventory_due_at = ${change.inventoryDueAt}, inventory_failures = ${change.inventoryFailures},
      check_until = ${change.checkUntil}, context_revision = ${change.contextRevision},
      credential_generation = ${change.credentialGeneration}, settings_revision = ${change.settingsRevision},
      tools_revision = ${change.toolsRevision}, grants_revision = ${change.grantsRevision},
      collection_generation = ${change.collectionGeneration}, updated_at = ${now}
    where organization_id = ${organizationId} and id = ${id}`;
}

/** What is seen of a connector on the way, which no counter tells of. */
export type SeenColumns = Pick<
  IntegrationRow,
  'health' | 'mcp' | 'requiredScopes' | 'inventoryDueAt' | 'inventoryFailures' | 'checkUntil'
>;

/** Writes down what was seen of a locked connector; it is no change, so its time stays. */
export function noteSeen(organizationId: string, id: string, seen: SeenColumns): Statement {
  return sql`
    update integration set
      health = ${json(seen.health)}::jsonb, mcp = ${json(seen.mcp)}::jsonb,
      required_scopes = ${seen.requiredScopes}::text[], inventory_due_at = ${seen.inventoryDueAt},
      inventory_failures = ${seen.inventoryFailures}, check_until = ${seen.checkUntil}
    where organization_id = ${organizationId} and id = ${id}`;
}

function json(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value);
}
