import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../kernel/database/index.ts';
import { type ProfileFollower, ProfileRemoved } from '../../agent-profiles/index.ts';
import { removeGrantsOf } from './grants.queries.ts';

/** Takes a deleted profile's connectors away; its key is free again, and a new profile gets nothing by itself. */
@Injectable()
export class RemovedProfiles implements ProfileFollower {
  constructor(profiles: ProfileRemoved) {
    profiles.register(this);
  }

  async profileRemoving(tx: Tx, agentProfileId: string): Promise<void> {
    await tx.batch(removeGrantsOf(tx.organizationId, agentProfileId));
  }
}
