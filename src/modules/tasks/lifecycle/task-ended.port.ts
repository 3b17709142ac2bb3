import type { Tx } from '../../../kernel/database/index.ts';
import type { EndedTaskStatus } from '../task.state.ts';

export interface EndedTask {
  readonly id: string;
  readonly status: EndedTaskStatus;
  /** Of a failed or cancelled one. */
  readonly code: string | null;
}

/** Acts when tasks end. */
export interface TaskFollower {
  /** The ends that it follows. While no follower names completions, which are many, plain ones share transactions. */
  readonly concernedBy: readonly EndedTaskStatus[];
  /** Runs in the transaction of the ends, once for all that it follows; a cancellation ends up to 10,000 at once. */
  tasksEnded(tx: Tx, tasks: readonly EndedTask[]): Promise<void>;
}

/** Port: declared here, implemented by `runs` (asks a live run to stop), later by `inbox` and `actions`. */
export class TaskEnded {
  private readonly followers: TaskFollower[] = [];

  register(follower: TaskFollower): void {
    this.followers.push(follower);
  }

  async ended(tx: Tx, tasks: readonly EndedTask[]): Promise<void> {
    for (const follower of this.followers) {
      const concerned = tasks.filter(({ status }) => follower.concernedBy.includes(status));
      if (concerned.length > 0) await follower.tasksEnded(tx, concerned);
    }
  }

  concerns(status: EndedTaskStatus): boolean {
    return this.followers.some(({ concernedBy }) => concernedBy.includes(status));
  }
}
