import { Injectable } from '@nestjs/common';
import { Transactions, type Tx } from '../../../kernel/database/index.ts';
import { activeAccess } from '../../../kernel/tenancy/index.ts';
import { FIRST_UUID } from '../../../kernel/ids/index.ts';
import { markTasksCancelled, openTasksOf, profilesWithOrphans } from './orphaned-tasks.queries.ts';
import { TaskCancellationService } from './task-cancellation.service.ts';
import { sizeOfTrees } from './task-cancellation.queries.ts';
import { TaskErrors } from '../task.errors.ts';
import type { FoundTask } from './task-sweep.ts';

/** Tasks that one transaction cancels at most, unless one task's tree alone is larger. */
const MAX_TASKS = 2_000;

/** Cancels the open tasks of deleted profiles, a slice in each transaction, so that no lock is held for long. */
@Injectable()
export class OrphanedTasksService {
  constructor(
    private readonly transactions: Transactions,
    private readonly cancellation: TaskCancellationService,
  ) {}

  /** Deleted profiles that may still own open tasks. */
  async find(): Promise<FoundTask[]> {
    return this.transactions.dispatch((run) => run(profilesWithOrphans()));
  }

  /** Cancels the tasks of one profile, from the first to the last. */
  async cancel({ organizationId, id: profileId }: FoundTask, signal: AbortSignal): Promise<void> {
    for (let behind: string | undefined = FIRST_UUID; behind !== undefined && !signal.aborted;) {
      const from: string = behind;
      behind = await this.transactions.through(activeAccess(organizationId, TaskErrors.notFound), (tx) =>
        this.slice(tx, profileId, from),
      );
    }
  }

  /** Cancels one slice. Answers where the next one begins; undefined behind the last. */
  private async slice(tx: Tx, profileId: string, behind: string): Promise<string | undefined> {
    const { organizationId } = tx;
    let ids = (await tx.rows(openTasksOf(organizationId, profileId, behind))).map(({ id }) => id);
    if (ids.length === 0) {
      await tx.rows(markTasksCancelled(organizationId, profileId));
      return undefined;
    }
    for (;;) {
      const [size] = await tx.rows(sizeOfTrees(organizationId, ids, MAX_TASKS + 1));
      if (ids.length === 1 || size!.tasks <= MAX_TASKS) break;
      ids = ids.slice(0, Math.ceil(ids.length / 2));
    }
    await this.cancellation.cancelAll(tx, ids, {
      code: 'profile_deleted',
      message: 'The agent profile that owns the task was deleted.',
    });
    return ids.at(-1);
  }
}
