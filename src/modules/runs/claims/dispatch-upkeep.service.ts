import { Injectable } from '@nestjs/common';
import { Transactions } from '../../../kernel/database/index.ts';
import { FIRST_UUID } from '../../../kernel/ids/index.ts';
import { WorkSignals } from '../../tasks/index.ts';
import {
  removeIdleOrganizations,
  removeIdleProfiles,
  PLACES_LIMIT,
  type ProfilePlace,
  addMissing,
  WALK_LIMIT,
} from './dispatch-upkeep.queries.ts';

const PLANNED_ONCE = { plannedOnce: true } as const;
const FIRST: ProfilePlace = { organizationId: FIRST_UUID, agentProfileId: FIRST_UUID };

/** Keeps the lines of claims: removes places that cannot start anything, adds places for work that may start. */
@Injectable()
export class DispatchUpkeepService {
  /** The last places that the walks of this process passed; each goes on there the next time. */
  private lookedAt = FIRST;
  private walkedTo = FIRST;

  constructor(
    private readonly transactions: Transactions,
    private readonly signals: WorkSignals,
  ) {}

  async keep(signal: AbortSignal): Promise<void> {
    await this.addMissing();
    await this.removeIdleOrganizations(signal);
    await this.removeIdleProfiles(signal);
  }

  private async addMissing(): Promise<void> {
    const [rows] = await this.transactions.dispatchBatch([addMissing(this.walkedTo)], PLANNED_ONCE);
    for (const { organizationId, count, walked, last } of rows) {
      if (organizationId !== null) this.signals.ready(organizationId, count);
      else this.walkedTo = walked === WALK_LIMIT && last ? last : FIRST;
    }
  }

  /** Goes on while many leave: places that cannot start anything keep a claim from those behind them. */
  private async removeIdleOrganizations(signal: AbortSignal): Promise<void> {
    let left: number;
    do {
      const [[row]] = await this.transactions.dispatchBatch([removeIdleOrganizations()], PLANNED_ONCE);
      left = row!.left;
    } while (left >= PLACES_LIMIT / 2 && !signal.aborted);
  }

  private async removeIdleProfiles(signal: AbortSignal): Promise<void> {
    let left: number;
    do {
      const [[row]] = await this.transactions.dispatchBatch([removeIdleProfiles(this.lookedAt)], PLANNED_ONCE);
      const { looked, organizationId, agentProfileId } = row!;
      left = row!.left;
      this.lookedAt =
        looked === PLACES_LIMIT && organizationId !== null && agentProfileId !== null
          ? { organizationId, agentProfileId }
          : FIRST;
    } while (left >= PLACES_LIMIT / 2 && !signal.aborted);
  }
}
