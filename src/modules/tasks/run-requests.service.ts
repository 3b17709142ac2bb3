import { Injectable } from '@nestjs/common';
import type { OwnerPrincipal } from '../../kernel/auth/index.ts';
import { Reads, statement, type Tx } from '../../kernel/database/index.ts';
import { ApiError } from '../../kernel/errors/index.ts';
import type { Page } from '../../kernel/pagination/index.ts';
import { type WorkHolder, WorkInFlight } from '../organizations/index.ts';
import { type RunRequestDto, type RunRequestListQuery, toRunRequest } from './run-request.dto.ts';
import { runRequestById, runRequestsOf } from './run-requests.queries.ts';
import { TaskErrors } from './task.errors.ts';

@Injectable()
export class RunRequestsService implements WorkHolder {
  constructor(
    private readonly reads: Reads,
    workInFlight: WorkInFlight,
  ) {
    workInFlight.register(this);
  }

  async list(
    { subject }: OwnerPrincipal,
    organizationId: string,
    query: RunRequestListQuery,
  ): Promise<Page<RunRequestDto>> {
    const list = runRequestsOf(organizationId, query);
    return (await this.reads.listInOrganization(subject, organizationId, list)).map(toRunRequest);
  }

  async read({ subject }: OwnerPrincipal, organizationId: string, id: string): Promise<RunRequestDto> {
    const [row] = await this.reads.inOrganization(subject, organizationId, runRequestById(organizationId, id));
    if (!row) throw new ApiError(TaskErrors.runRequestNotFound);
    return toRunRequest(row);
  }

  /** What waits: a claimed request has not started. */
  async workInFlight(tx: Tx, organizationId: string): Promise<{ queuedRunRequests: number }> {
    const [row] = await tx.rows(
      statement<{ queuedRunRequests: number }>(
        `select count(*)::int as "queuedRunRequests" from run_request
         where organization_id = $1 and status in ('queued', 'claimed')`,
        organizationId,
      ),
    );
    return row!;
  }
}
