import { atAnyTime, type Walk } from '../../kernel/pagination/index.ts';
import type { TaskListQuery } from './task.dto.ts';
import { TASK_STATUSES } from './task.state.ts';

/** How a list of tasks finds its rows without reading all history. */
interface TaskWalks {
  /** In the order of their creation; otherwise by id. */
  readonly byTime: boolean;
  readonly walks?: readonly Walk[];
  /** Literal conditions that lead to a partial index. */
  readonly among?: readonly string[];
}

const BY_ID: TaskWalks = { byTime: false };

/**
 * Lists of a tree, which is bounded and has an index in the order of ids, go by id, and so do filters that most tasks
 * pass. All others go by time, behind what they filter by.
 */
export function taskWalks(query: TaskListQuery): TaskWalks {
  const { status, kind, phase, priority } = query;
  if (query.parentId !== undefined || query.rootTaskId !== undefined) return BY_ID;
  if (query.sourceChatId !== undefined) return { byTime: true };
  const statuses = { column: 'status', values: [...new Set(status ?? TASK_STATUSES)] };
  if (query.ownerAgentProfileId !== undefined) return { byTime: true, walks: [statuses] };
  const byStatus = { byTime: true, walks: [{ ...statuses, among: atAnyTime('t') }] };
  if (status !== undefined) return byStatus;
  if (kind && !kind.includes('task'))
    return { byTime: true, walks: [{ column: 'kind', values: [...new Set(kind)], among: `t.kind <> 'task'` }] };
  if (phase && !phase.includes('execute'))
    return { byTime: true, walks: [{ column: 'phase', values: [...new Set(phase)], among: `t.phase <> 'execute'` }] };
  if (priority !== undefined && priority !== 0) return { byTime: true, among: ['t.priority <> 0'] };
  return query.createdAfter !== undefined || query.createdBefore !== undefined ? byStatus : BY_ID;
}
