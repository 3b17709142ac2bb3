import { Injectable } from '@nestjs/common';
import type { Tx } from '../../kernel/database/index.ts';

/** What follows when a profile is deleted or disabled. */
export interface ProfileFollower {
  /** Runs in the transaction of the deletion before it holds the profile's capacity row, for rows that are locked before that. */
  profileRemoving?(tx: Tx, agentProfileId: string): Promise<void>;
  /** Runs in the transaction of the deletion, which holds the profile's capacity row. */
  profileRemoved?(tx: Tx, agentProfileId: string): Promise<void>;
  /** Runs in the transaction that disables a profile; null for those of a department, which are disabled with it. */
  profileDisabled?(tx: Tx, agentProfileId: string | null): void;
}

/** Port: declared here, implemented by modules above (`runs` fences the executions of a deleted profile). */
@Injectable()
export class ProfileRemoved {
  private readonly followers: ProfileFollower[] = [];

  register(follower: ProfileFollower): void {
    this.followers.push(follower);
  }

  async removing(tx: Tx, agentProfileId: string): Promise<void> {
    for (const follower of this.followers) await follower.profileRemoving?.(tx, agentProfileId);
  }

  async removed(tx: Tx, agentProfileId: string): Promise<void> {
    for (const follower of this.followers) await follower.profileRemoved?.(tx, agentProfileId);
    this.disabled(tx, agentProfileId);
  }

  disabled(tx: Tx, agentProfileId: string | null): void {
    for (const follower of this.followers) follower.profileDisabled?.(tx, agentProfileId);
  }
}
