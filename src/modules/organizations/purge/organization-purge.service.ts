import { Injectable } from '@nestjs/common';
import { OrganizationObjectsService } from './organization-objects.service.ts';
import { sqlState, SqlState, type Statement, statement, Transactions } from '../../../kernel/database/index.ts';

const BATCH = 5_000;

/**
 * Removes the rows of deleted organizations, and then their bytes, as the tables' owner and in bounded batches. Which tables those are, and in
 * which order, is read from the database itself: every table with an `organization_id`, children before what they
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
    const marked = await this.rows<{ id: string }>(
      statement(`select id from organization where status = 'deleting' order by updated_at limit 100`),
    );
    if (marked.length === 0) return;
    const tables = await this.tablesInDeletionOrder();
    for (const { id } of marked) await this.purge(id, tables, signal);
  }

  private async purge(organizationId: string, tables: readonly string[], signal: AbortSignal): Promise<void> {
    for (const table of tables) {
      let removed: unknown[];
      do {
        if (signal.aborted) return;
        removed = await this.rows(
          statement(
            `delete from "${table}" where (ctid, tableoid) in (
               select ctid, tableoid from "${table}" where organization_id = $1 limit $2) returning 1`,
            organizationId,
            BATCH,
          ),
        );
      } while (removed.length === BATCH);
    }
    // Answers kept for replays tell of the organization too; their keys stay used.
    await this.rows(
      statement(
        `update idempotency_key set answer = null where organization_id = $1 and answer is not null`,
        organizationId,
      ),
    );
    // Before the row goes: whatever happens from then on, somebody comes for the bytes.
    await this.objects.mark(organizationId);
    try {
      await this.rows(statement(`delete from organization where id = $1`, organizationId));
    } catch (error) {
      if (sqlState(error) !== SqlState.foreignKeyViolation) throw error;
      // A write that was in flight when its table was emptied; the next pass removes it.
      return;
    }
    await this.objects.remove(organizationId);
  }

  private async tablesInDeletionOrder(): Promise<string[]> {
    const tables = await this.rows<{ name: string; references: string[] }>(
      statement(
        // The cast: the driver hands over an array of type `name` as one string.
        `select c.relname as name,
                array(select p.relname::text from pg_constraint f join pg_class p on p.oid = f.confrelid
                      where f.conrelid = c.oid and f.contype = 'f' and f.confrelid <> c.oid) as references
         from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'organization_id'
         where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
           and c.relname <> 'idempotency_key'
         order by c.relname`,
      ),
    );
    return childrenFirst(tables);
  }

  private rows<Row>(query: Statement<Row>): Promise<Row[]> {
    return this.transactions.owner((run) => run(query));
  }
}

/**
 * Orders tables so that each stands before those it references, and those that reference nothing come last: whoever adds
 * rows to them holds a row of another table, which is waited for. Their foreign keys have no cycles.
 */
export function childrenFirst(
  tables: readonly { readonly name: string; readonly references: readonly string[] }[],
): string[] {
  const byName = new Map(tables.map((table) => [table.name, table]));
  const parentsFirst: string[] = [];
  const visit = (name: string): void => {
    const table = byName.get(name);
    if (!table || parentsFirst.includes(name)) return;
    byName.delete(name);
    table.references.forEach(visit);
    parentsFirst.push(name);
  };
  [...byName.keys()].forEach(visit);
  const order = parentsFirst.reverse();
  const isHeld = (name: string) => tables.some((table) => table.name === name && table.references.length > 0);
  return [...order.filter(isHeld), ...order.filter((name) => !isHeld(name))];
}
