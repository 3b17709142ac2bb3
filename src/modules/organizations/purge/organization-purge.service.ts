import { Injectable } from '@nestjs/common';
import { sqlState, SqlState, type Statement, Transactions } from '../../../kernel/database/index.ts';
import { OrganizationObjectsService } from './organization-objects.service.ts';
import {
  deletedOrganizations,
  forgetAnswers,
  type OwnedTable,
  ownedTables,
  removeOrganization,
  removeRows,
} from './organization-purge.queries.ts';

/** Organizations that one pass takes, and rows that one transaction removes. */
const ORGANIZATIONS = 100;
const ROWS_LIMIT = 5_000;

/**
 * Removes the rows of deleted organizations, then their bytes, as the tables' owner and in bounded batches. The database
 * itself says which tables these are and in which order: every table with an `organization_id`, children before what they
 * reference. A module that adds a table need not know of the purge.
 */
@Injectable()
export class OrganizationPurgeService {
  constructor(
    private readonly transactions: Transactions,
    private readonly objects: OrganizationObjectsService,
  ) {}

  /** One pass over all marked organizations. */
  async run(signal: AbortSignal): Promise<void> {
    const marked = await this.rows(deletedOrganizations(ORGANIZATIONS));
    if (marked.length === 0) return;
    const tables = childrenFirst(await this.rows(ownedTables()));
    for (const { id } of marked) await this.purge(id, tables, signal);
  }

  private async purge(organizationId: string, tables: readonly OwnedTable[], signal: AbortSignal): Promise<void> {
    for (const table of tables) {
      let removed: unknown[];
      do {
        if (signal.aborted) return;
        removed = await this.rows(removeRows(table, organizationId, ROWS_LIMIT));
      } while (removed.length === ROWS_LIMIT);
    }
    await this.rows(forgetAnswers(organizationId));
    // Before the row goes: a process that dies from here on leaves the mark, by which the next one removes the bytes.
    await this.objects.mark(organizationId);
    try {
      await this.rows(removeOrganization(organizationId));
    } catch (error) {
      if (sqlState(error) !== SqlState.foreignKeyViolation) throw error;
      // A write that was in flight when its table was emptied left a row; the next pass removes it.
      return;
    }
    await this.objects.remove(organizationId);
  }

  private rows<Row>(query: Statement<Row>): Promise<Row[]> {
    return this.transactions.owner((run) => run(query));
  }
}

/**
 * Orders tables so that each comes before those it references, and those that reference nothing come last: a transaction
 * that adds rows to these holds a row of another table, for which the purge waits. Foreign keys have no cycles.
 */
export function childrenFirst<Table extends Pick<OwnedTable, 'name' | 'references'>>(
  tables: readonly Table[],
): Table[] {
  const byName = new Map(tables.map((table) => [table.name, table]));
  const parentsFirst: Table[] = [];
  const visit = (name: string): void => {
    const table = byName.get(name);
    if (!table) return;
    byName.delete(name);
    table.references.forEach(visit);
    parentsFirst.push(table);
  };
  [...byName.keys()].forEach(visit);
  const order = parentsFirst.reverse();
  const isHeld = ({ references }: Table) => references.length > 0;
  return [...order.filter(isHeld), ...order.filter((table) => !isHeld(table))];
}
