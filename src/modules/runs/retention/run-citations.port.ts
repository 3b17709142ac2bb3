import type { Sql } from '../../../kernel/database/index.ts';

/** SQL for whether something still names bytes of a run; `runId` is a column. */
export type IsCited = (organizationId: Sql, runId: Sql) => Sql;

/** Port: declared here, implemented by modules that name what runs delivered, and lock a run before they do. */
export class RunCitations {
  /** Any of them keeps a run. */
  readonly conditions: IsCited[] = [];

  register(isCited: IsCited): void {
    this.conditions.push(isCited);
  }
}
