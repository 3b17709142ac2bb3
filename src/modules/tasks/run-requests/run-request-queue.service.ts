import { Injectable } from '@nestjs/common';
import { statement, type Tx } from '../../../kernel/database/index.ts';
import { newId } from '../../../kernel/ids/index.ts';
import { joinLines } from './dispatch-lines.ts';
import { DEFAULT_MAX_ATTEMPTS, isOpenRequest } from './run-request.state.ts';
import { WorkSignals } from './work-signals.port.ts';

/** Queues run requests and says so. It never looks at stop, profile or capacity: a request just waits. */
@Injectable()
export class RunRequestQueueService {
  constructor(private readonly signals: WorkSignals) {}

  /**
   * One request for each of these tasks that is `pending`, has none open and has run budget left. The caller holds the
   * tasks' locks. Answers the ids of those whose budget is used up: they get no request and have to fail.
   */
  async queue(tx: Tx, organizationId: string, taskIds: readonly string[]): Promise<string[]> {
    if (taskIds.length === 0) return [];
    const queued = await tx.rows(
      statement<{ ready: boolean; agentProfileId: string }>(
        `insert into run_request (organization_id, id, task_id, agent_profile_id, mode, execution_class, priority, dedupe_key,
           task_version, task_graph_revision, ready, available_at, max_attempts)
         select t.organization_id, wanted.id, t.id, t.owner_agent_profile_id, t.phase,
           case t.kind when 'task' then 'standard' else 'background' end, t.priority,
           t.id || ':' || t.phase || ':' || t.version, t.version, root.graph_revision,
           coalesce(t.scheduled_at <= clock_timestamp(), true), greatest(t.scheduled_at, clock_timestamp()), ${DEFAULT_MAX_ATTEMPTS}
         from unnest($2::uuid[], $3::uuid[]) wanted(task_id, id)
         join task t on t.organization_id = $1 and t.id = wanted.task_id
         join task root on root.organization_id = t.organization_id and root.id = t.root_task_id
         where t.status = 'pending' and t.consumed_agent_run_count < t.max_agent_runs
           and not exists (select from run_request open where open.organization_id = t.organization_id
             and open.task_id = t.id and ${isOpenRequest('open.status')})
         returning ready, agent_profile_id as "agentProfileId"`,
        organizationId,
        taskIds,
        taskIds.map(newId),
      ),
    );
    const ready = queued.filter((request) => request.ready);
    await this.announce(
      tx,
      organizationId,
      ready.map(({ agentProfileId }) => agentProfileId),
    );
    const exhausted = await tx.rows(
      statement<{ id: string }>(
        `select id from task where organization_id = $1 and id = any($2::uuid[]) and status = 'pending'
           and consumed_agent_run_count >= max_agent_runs`,
        organizationId,
        taskIds,
      ),
    );
    return exhausted.map(({ id }) => id);
  }

  /** Hints at ready work to the claims, and wakes waiting ones after the commit; `profileIds` has one of each request. */
  async announce(tx: Tx, organizationId: string, profileIds: readonly string[]): Promise<void> {
    if (profileIds.length === 0) return;
    const relation = '(select $1::uuid as organization_id, unnest($2::uuid[]) as agent_profile_id)';
    await tx.rows(statement(`with ${joinLines(relation)} select`, organizationId, [...new Set(profileIds)]));
    tx.afterCommit(() => this.signals.ready(organizationId, profileIds.length));
  }
}
