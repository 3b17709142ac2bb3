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
  /** The ends that concern it. Completions are many: as long as they concern nobody, plain ones share transactions. */
  readonly concernedBy: readonly EndedTaskStatus[];
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
    for (const follower of this.followers)
      if (follower.concernedBy.includes(task.status)) await follower.taskEnded(tx, organizationId, task);
  }

  concerns(status: EndedTaskStatus): boolean {
    return this.followers.some(({ concernedBy }) => concernedBy.includes(status));
  }
}
