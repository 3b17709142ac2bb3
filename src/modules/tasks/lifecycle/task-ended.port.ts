import type { Sql, Tx } from '../../../kernel/database/index.ts';
import type { EndedTaskStatus } from '../task.state.ts';

export interface EndedTask {
  readonly id: string;
  readonly status: EndedTaskStatus;
  /** Of a failed or cancelled one. */
  readonly code: string | null;
}

/** Acts when tasks end. */
export interface TaskFollower {
  /**
   * The ends that it follows. Completions are many, and plain ones share transactions: only while each follower that
   * names them says when there is nothing to do, by `absent`.
   */
  readonly concernedBy: readonly EndedTaskStatus[];
  /** Condition that the completion of a task `f` (`f.organization_id`, `f.task_id`) leaves nothing to do: index probes. */
  readonly absent?: Sql;
  /** Runs in the transaction of the ends, once for all that it follows; a cancellation ends up to 10,000 at once. */
  tasksEnded(tx: Tx, tasks: readonly EndedTask[]): Promise<void>;
}

/** Port: declared here, implemented by `runs` (asks a live run to stop), `inbox` and `actions`. */
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

  /** Conditions that no follower has anything to do when a task `f` completes; undefined where one must always be told. */
  get nothingToDo(): readonly Sql[] | undefined {
    const concerned = this.followers.filter(({ concernedBy }) => concernedBy.includes('completed'));
    const conditions = concerned.flatMap(({ absent }) => absent ?? []);
    return conditions.length < concerned.length ? undefined : conditions;
  }
}
