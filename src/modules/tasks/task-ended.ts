import type { Tx } from '../../kernel/database/index.ts';
import type { EndedTaskStatus } from './task.state.ts';

export interface EndedTask {
  readonly id: string;
  readonly status: EndedTaskStatus;
  /** Of a failed or cancelled one. */
  readonly code: string | null;
}

/** What follows when tasks end. */
export interface TaskFollower {
  /** Runs in the transaction of the end. */
  taskEnded(tx: Tx, organizationId: string, task: EndedTask): Promise<void>;
}

/** Port: declared here, implemented by `runs` (asks a live run to stop), later by `human-inbox` and `actions`. */
export class TaskEnded {
  private readonly followers: TaskFollower[] = [];

  register(follower: TaskFollower): void {
    this.followers.push(follower);
  }

  async ended(tx: Tx, organizationId: string, task: EndedTask): Promise<void> {
    for (const follower of this.followers) await follower.taskEnded(tx, organizationId, task);
  }
}
