import { Injectable } from '@nestjs/common';
import type { OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { Reads } from '../../../kernel/database/index.ts';
import { ApiError } from '../../../kernel/errors/index.ts';
import type { Page } from '../../../kernel/pagination/index.ts';
import { type RunRequestDto, type RunRequestListQuery, toRunRequest } from './run-request.dto.ts';
import { runRequestById, runRequestsOf } from './run-requests.queries.ts';
import { TaskErrors } from '../task.errors.ts';

@Injectable()
export class RunRequestsService {
  constructor(private readonly reads: Reads) {}

  async list(owner: OwnerPrincipal, organizationId: string, query: RunRequestListQuery): Promise<Page<RunRequestDto>> {
    const list = runRequestsOf(organizationId, query);
    return (await this.reads.listInOrganization(owner, organizationId, list)).map(toRunRequest);
  }

  async read(owner: OwnerPrincipal, organizationId: string, id: string): Promise<RunRequestDto> {
    const [row] = await this.reads.inOrganization(owner, organizationId, runRequestById(organizationId, id));
    if (!row) throw new ApiError(TaskErrors.runRequestNotFound);
    return toRunRequest(row);
  }
}
