import { Injectable } from '@nestjs/common';
import { type ExecutionPrincipal, LiveExecutions } from '../../kernel/auth/index.ts';
import { Reads } from '../../kernel/database/index.ts';
import { ApiError } from '../../kernel/errors/index.ts';
import type { Page } from '../../kernel/pagination/index.ts';
import { toAction, toActionDetail } from './action-row.ts';
import type { ActionDetailDto, ActionDto, ActionListQuery } from './action.dto.ts';
import { ActionErrors } from './action.errors.ts';
import { actionById, actionsOf } from './actions.queries.ts';

/** What turns of the chat profile see of actions: as the person would whom they answer. */
@Injectable()
export class ActionsAgentService {
  constructor(
    private readonly reads: Reads,
    private readonly executions: LiveExecutions,
  ) {}

  async list(execution: ExecutionPrincipal, query: ActionListQuery): Promise<Page<ActionDto>> {
    const list = actionsOf(execution.organizationId, query);
    return (await this.reads.listThrough(this.access(execution), list)).map(toAction);
  }

  async read(execution: ExecutionPrincipal, id: string): Promise<ActionDetailDto> {
    const [row] = await this.reads.through(this.access(execution), actionById(execution.organizationId, id));
    if (!row) throw new ApiError(ActionErrors.notFound);
    return toActionDetail(row);
  }

  private access(execution: ExecutionPrincipal) {
    return this.executions.access(execution, { enabledProfile: true, lane: 'ordinary' });
  }
}
