import { Injectable } from '@nestjs/common';
import { type Statement, statement, Transactions, type Tx } from '../../../kernel/database/index.ts';
import { activeAccess } from '../../../kernel/tenancy/index.ts';
import { FIRST_UUID } from '../../../kernel/ids/index.ts';
import { TaskCancellationService } from './task-cancellation.service.ts';
import { sizeOfTrees } from './task-cancellation.queries.ts';
import { TaskErrors } from '../task.errors.ts';
import { isOpenTask } from '../task.state.ts';
import type { FoundTask } from './task-sweep.ts';

/** How many tasks one transaction cancels with their trees. */
const SLICE = 500;
/** How many tasks that may be in all, unless one task's tree alone is larger. */
const MAX_TASKS = 2_000;

/** Cancels what deleted profiles left to do, slice by slice: each a transaction, so that no lock is held for long. */
@Injectable()
export class OrphanedTasksService {
  constructor(
    private readonly transactions: Transactions,
    private readonly cancellation: TaskCancellationService,
  ) {}

  /** Profiles that were deleted and may still own open tasks. Found along an index that holds no others. */
  async find(): Promise<FoundTask[]> {
    return this.transactions.dispatch((run) =>
      run(
        statement<FoundTask>(
          `select p.organization_id as "organizationId", p.id
           from agent_profile p join organization o on o.id = p.organization_id
           where p.deleted_at is not null and p.tasks_cancelled_at is null and o.status = 'active'
           limit 100`,
        ),
      ),
    );
  }

  /** One profile's, from the first to the last. */
  async cancel({ organizationId, id: profileId }: FoundTask, signal: AbortSignal): Promise<void> {
    for (let behind: string | undefined = FIRST_UUID; behind !== undefined && !signal.aborted;) {
      const from: string = behind;
      behind = await this.transactions.through(activeAccess(organizationId, TaskErrors.notFound), (tx) =>
        this.slice(tx, organizationId, profileId, from),
      );
    }
  }

  /** Answers where the next one begins; undefined behind the last. */
  private async slice(tx: Tx, organizationId: string, profileId: string, behind: string): Promise<string | undefined> {
    let ids = (await tx.rows(openTasksOf(organizationId, profileId, behind))).map(({ id }) => id);
    if (ids.length === 0) {
      await tx.rows(markCancelled(organizationId, profileId));
      return undefined;
    }
    for (;;) {
      const [size] = await tx.rows(sizeOfTrees(organizationId, ids, MAX_TASKS + 1));
      if (ids.length === 1 || size!.tasks <= MAX_TASKS) break;
      ids = ids.slice(0, Math.ceil(ids.length / 2));
    }
    await this.cancellation.cancelAll(tx, organizationId, ids, {
      code: 'profile_deleted',
      message: 'The agent profile that owns the task was deleted.',
    });
    return ids.at(-1);
  }
}

function openTasksOf(organizationId: string, profileId: string, behind: string): Statement<{ id: string }> {
  return statement(
    `select t.id from task t
     where t.organization_id = $1 and t.owner_agent_profile_id = $2 and t.id > $3 and ${isOpenTask('t.status')}
     order by t.id limit ${SLICE}`,
    organizationId,
    profileId,
    behind,
  );
}

/** A creation that saw the profile before it was deleted has ended after a minute: no transaction lasts that long. */
function markCancelled(organizationId: string, profileId: string): Statement {
  return statement(
    `with held as materialized (
       select p.id, clock_timestamp() as at from agent_profile p
       where p.organization_id = $1 and p.id = $2 and p.deleted_at < clock_timestamp() - interval '1 minute'
         and not exists (select from task t where t.organization_id = $1 and t.owner_agent_profile_id = $2
           and ${isOpenTask('t.status')})
       for no key update),
     moved as (
       update agent_profile p set tasks_cancelled_at = h.at from held h where p.organization_id = $1 and p.id = h.id)
     select count(*) from held`,
    organizationId,
    profileId,
  );
}
