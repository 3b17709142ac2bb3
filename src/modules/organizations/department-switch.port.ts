import type { EntityTx } from '../../kernel/database/index.ts';
import type { Department } from './organization.state.ts';

/** What follows when an owner switches departments on or off. */
export interface DepartmentFollower {
  /** Whether it switches the profiles of departments, which some callers do themselves. */
  readonly switchesProfiles?: boolean;
  /** Runs in the transaction of the switch. */
  departmentsSwitched(tx: EntityTx, switched: { on: Department[]; off: Department[] }): Promise<void>;
}

/** Port: declared here, implemented by modules above (`agent-profiles` switches the profiles of a department with it). */
export class DepartmentSwitch {
  private readonly followers: DepartmentFollower[] = [];

  register(follower: DepartmentFollower): void {
    this.followers.push(follower);
  }

  /** `profiles` is false where the caller switches those itself. */
  async switched(tx: EntityTx, on: Department[], off: Department[], { profiles = true } = {}): Promise<void> {
    if (on.length + off.length === 0) return;
    for (const follower of this.followers)
      if (profiles || !follower.switchesProfiles) await follower.departmentsSwitched(tx, { on, off });
  }
}
