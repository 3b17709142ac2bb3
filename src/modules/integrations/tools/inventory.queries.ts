import { sql, type Statement } from '../../../kernel/database/index.ts';
import type { ExcludedTool, Inventory, ListedTool, ServerIdentity } from '../provider-adapters.port.ts';

/** What a provider listed last, with whole definitions. */
export interface StoredInventory {
  readonly tools: readonly ListedTool[];
  readonly excluded: readonly ExcludedTool[];
  readonly server: ServerIdentity | null;
  readonly listedAt: string;
}

export function inventoryOf(organizationId: string, integrationId: string): Statement<StoredInventory> {
  return sql`
    select v.tools, v.excluded, v.server, v.listed_at as "listedAt" from integration_inventory v
    where v.organization_id = ${organizationId} and v.integration_id = ${integrationId}`;
}

/** Stores what a provider lists now, in place of what it listed before. */
export function storeInventory(
  organizationId: string,
  integrationId: string,
  { tools, excluded, server }: Inventory,
  now: string,
): Statement {
  return sql`
    insert into integration_inventory (organization_id, integration_id, tools, excluded, server, listed_at)
    values (${organizationId}, ${integrationId}, ${JSON.stringify(tools)}::jsonb, ${JSON.stringify(excluded)}::jsonb,
      ${server === null ? null : JSON.stringify(server)}::jsonb, ${now})
    on conflict (organization_id, integration_id) do update set tools = excluded.tools, excluded = excluded.excluded,
      server = excluded.server, listed_at = excluded.listed_at`;
}

/** Says that a provider still lists what it listed before. */
export function touchInventory(organizationId: string, integrationId: string, now: string): Statement {
  return sql`
    update integration_inventory v set listed_at = ${now}
    where v.organization_id = ${organizationId} and v.integration_id = ${integrationId}`;
}

/** Forgets what a provider listed. */
export function removeInventory(organizationId: string, integrationId: string): Statement {
  return sql`
    delete from integration_inventory v
    where v.organization_id = ${organizationId} and v.integration_id = ${integrationId}`;
}

/** A connector whose tools are to be listed, whose last listings failed so often. */
export interface DueListing {
  readonly organizationId: string;
  readonly id: string;
  readonly failures: number;
}

export function dueListings(limit: number): Statement<DueListing> {
  return sql`
    select i.organization_id as "organizationId", i.id, i.inventory_failures as failures from integration i
    where i.inventory_due_at <= clock_timestamp() order by i.inventory_due_at limit ${limit}`;
}

/**
 * Takes the listing of a connector that is still due: it is due again as if this one failed, until it is known better. No row
 * where another process has it.
 */
export function claimListing(organizationId: string, id: string, minutes: number): Statement<{ id: string }> {
  const organization = sql.value(organizationId);
  const integration = sql.value(id);
  return sql`
    with due as materialized (
      select i.id, i.inventory_failures + 1 as failures, clock_timestamp() + make_interval(mins => ${minutes}::int) as next
      from integration i
      where i.organization_id = ${organization} and i.id = ${integration} and i.inventory_due_at <= clock_timestamp()
      for no key update skip locked),
    claimed as (
      update integration i set inventory_due_at = due.next, inventory_failures = due.failures
      from due where i.organization_id = ${organization} and i.id = due.id)
    select d.id from due d`;
}
