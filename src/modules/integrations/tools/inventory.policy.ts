import { later } from '../database-time.ts';
import type { Inventory, ListedTool } from '../provider-adapters.port.ts';

/** Between two listings of a connector that answers. */
const HOURS = 6;
/** Behind the first failure; doubled by each further one, up to the time of one that answers. */
const FAILED_MINUTES = 10;
const MINUTE_MS = 60_000;

/** Minutes until a connector's tools are listed again, after so many failures in a row. */
export function minutesToListing(failures: number): number {
  return failures === 0 ? HOURS * 60 : Math.min(FAILED_MINUTES * 2 ** Math.min(failures - 1, 10), HOURS * 60);
}

export function inventoryDueAt(now: string, failures: number): string {
  return later(now, minutesToListing(failures) * MINUTE_MS);
}

/** A listing with the name of its server: one that is remembered to speak the protocol is not asked for its name again. */
export function withServer(inventory: Inventory, was: Pick<Inventory, 'server'> | undefined): Inventory {
  return inventory.server || !was?.server ? inventory : { ...inventory, server: was.server };
}

type Listing = Pick<Inventory, 'tools' | 'excluded' | 'server'>;

/** Whether a provider lists what it listed before. What is stored comes back with its keys in another order. */
export function isSameListing(one: Listing, other: Listing): boolean {
  return factsOf(one) === factsOf(other);
}

function factsOf({ tools, excluded, server }: Listing): string {
  return JSON.stringify([
    tools.map(meaningOf),
    excluded.map(({ name, reason }) => [name, reason]),
    server && [server.name, server.version],
  ]);
}

/** The hash is of the whole definition; what follows from it may change with a release. */
function meaningOf({ name, definitionHash, access, risk, reviewRequired }: ListedTool) {
  return [name, definitionHash, access, risk, reviewRequired];
}
