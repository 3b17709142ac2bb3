import { Injectable } from '@nestjs/common';
import { type Shared, Transactions } from '../../../kernel/database/index.ts';
import { type LostCall, type LostLease, LostLeases } from '../../../kernel/leases/index.ts';
import { RunErrors } from '../run.errors.ts';
import { fatesOfRuns, type LostRow } from './lost-run.queries.ts';

/** Tells workers what became of a run or claim that they hold no more. */
@Injectable()
export class LostRunsService extends LostLeases {
  private readonly lookups: Shared<LostCall, LostRow>;

  constructor(transactions: Transactions) {
    super(RunErrors.leaseExpired);
    this.lookups = transactions.shared<LostCall, LostRow>(
      { keysOf: () => [], statements: (calls) => [fatesOfRuns(calls)] },
      RunErrors.leaseExpired,
    );
  }

  protected override async fateOf(call: LostCall): Promise<LostLease> {
    return (await this.lookups.run(call))?.fate ?? 'unknown';
  }
}
