import { Injectable } from '@nestjs/common';
import type { Tx } from '../../kernel/database/index.ts';
import { type ProfileFollower, ProfileRemoved } from '../agent-profiles/index.ts';
import { pauseSchedulesOf } from './schedule-edits.queries.ts';

/** Pauses the schedules of a profile that is deleted. */
@Injectable()
export class RemovedProfiles implements ProfileFollower {
  constructor(profiles: ProfileRemoved) {
    profiles.register(this);
  }

  async profileRemoved(tx: Tx, agentProfileId: string): Promise<void> {
    await tx.rows(pauseSchedulesOf(tx.organizationId, agentProfileId));
  }
}
