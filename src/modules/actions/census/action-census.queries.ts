import { COUNT_LIMIT, type Counted, counted } from '../../../kernel/census/index.ts';
import { type Sql, sql, type Statement } from '../../../kernel/database/index.ts';

export interface ActionCounts {
  readonly awaiting_approval: Counted;
  readonly approved: Counted;
  readonly executing: Counted;
  readonly reconciliation_required: Counted;
}

/** Counts unresolved actions of all organizations, each status along its own partial index. */
export function countActions(): Statement<ActionCounts> {
  return sql`
    select ${of('awaiting_approval', 'awaits_since')}, ${of('approved', 'approved_at')},
      ${of('executing', 'updated_at')}, ${of('reconciliation_required', 'awaits_since')}`;
}

/** The status and the column that says since when come from this file. */
function of(status: keyof ActionCounts, since: string): Sql {
  return sql`(select ${counted()} from (
        select a.${sql.raw(since)} as since from action a where a.status = '${sql.raw(status)}' limit ${COUNT_LIMIT}) found)
        as ${sql.raw(status)}`;
}
