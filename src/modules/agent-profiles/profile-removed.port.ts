import { Injectable } from '@nestjs/common';
import type { Tx } from '../../kernel/database/index.ts';

/** What follows when a profile is deleted. */
export interface ProfileFollower {
  /** Runs in the transaction of the deletion, which holds the profile's capacity row. */
  profileRemoved(tx: Tx, agentProfileId: string): Promise<void>;
}

/** Port: declared here, implemented by modules above (`runs` fences the profile's executions). */
@Injectable()
export class ProfileRemoved {
  private readonly followers: ProfileFollower[] = [];

  register(follower: ProfileFollower): void {
    this.followers.push(follower);
  }

  async removed(tx: Tx, agentProfileId: string): Promise<void> {
    for (const follower of this.followers) await follower.profileRemoved(tx, agentProfileId);
  }
}
