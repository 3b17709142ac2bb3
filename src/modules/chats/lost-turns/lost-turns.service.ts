import { Injectable } from '@nestjs/common';
import { type Shared, Transactions } from '../../../kernel/database/index.ts';
import { type LostCall, type LostLease, LostLeases } from '../../../kernel/leases/index.ts';
import { TurnErrors } from '../chat.errors.ts';
import { fatesOfTurns, type LostTurnRow } from './lost-turn.queries.ts';

/** Tells workers what became of a turn that they hold no more. */
@Injectable()
export class LostTurnsService extends LostLeases {
  private readonly lookups: Shared<LostCall, LostTurnRow>;

  constructor(transactions: Transactions) {
    super(TurnErrors.leaseExpired);
    this.lookups = transactions.shared<LostCall, LostTurnRow>(
      { keysOf: () => [], statements: (calls) => [fatesOfTurns(calls)] },
      TurnErrors.leaseExpired,
    );
  }

  protected override async fateOf(call: LostCall): Promise<LostLease> {
    return (await this.lookups.run(call))?.fate ?? 'unknown';
  }
}
