import { COUNT_LIMIT, type Counted, counted } from '../../../kernel/census/index.ts';
import { type Sql, sql, type Statement } from '../../../kernel/database/index.ts';
import { isWaiting } from '../turns/turn-claim.queries.ts';
import { isResting } from '../turns/turn-rests.queries.ts';

export interface TurnCounts {
  readonly waiting: Counted;
  readonly resting: Counted;
  readonly live: Counted;
  readonly cancelling: Counted;
}

/** What there is of messages to which the condition applies. */
function turns(condition: Sql, since = sql`m.created_at`): Sql {
  return sql`(select ${counted()}
      from (select ${since} as since from message m where ${condition} limit ${COUNT_LIMIT}) found)`;
}

/** Counts open turns of all organizations, each kind along the partial index of it, up to `COUNT_LIMIT` entries. */
export function countTurns(): Statement<TurnCounts> {
  return sql`
    select ${turns(isWaiting('m'))} as "waiting", ${turns(isResting('m'))} as "resting", ${turns(sql`m.leased`)} as "live",
      ${turns(sql`m.status = 'cancelling'`, sql`m.cancel_requested_at`)} as "cancelling"`;
}
