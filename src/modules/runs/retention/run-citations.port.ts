import { type Sql, sql } from '../../../kernel/database/index.ts';

/** SQL for whether something still names bytes of a run; `runId` is a column. */
export type IsCited = (organizationId: Sql, runId: Sql) => Sql;

/** Port: declared here, implemented by modules that name what runs delivered, and lock a run before they do. */
export class RunCitations {
  private readonly conditions: IsCited[] = [];

  register(isCited: IsCited): void {
    this.conditions.push(isCited);
  }

  /** Whether nothing names a run any more. */
  isUncited(organizationId: Sql, runId: Sql): Sql {
    const none = this.conditions.map((isCited) => sql`not ${isCited(organizationId, runId)}`);
    return none.length === 0 ? sql`true` : sql`(${sql.join(none, ' and ')})`;
  }
}
