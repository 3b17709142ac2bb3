import { Injectable } from '@nestjs/common';
import type { OwnerPrincipal } from '../../kernel/auth/index.ts';
import { Reads } from '../../kernel/database/index.ts';
import { ApiError } from '../../kernel/errors/index.ts';
import type { Page } from '../../kernel/pagination/index.ts';
import type { RunDetailDto, RunDto, RunListQuery } from './run.dto.ts';
import { RunErrors } from './run.errors.ts';
import { toRun, toRunDetail } from './run-row.ts';
import { runById, runsOf } from './runs.queries.ts';

/** Lists and reads runs for owners. */
@Injectable()
export class RunsService {
  constructor(private readonly reads: Reads) {}

  async list(owner: OwnerPrincipal, organizationId: string, query: RunListQuery): Promise<Page<RunDto>> {
    return (await this.reads.listInOrganization(owner, organizationId, runsOf(organizationId, query))).map(toRun);
  }

  async read(owner: OwnerPrincipal, organizationId: string, id: string): Promise<RunDetailDto> {
    const [run] = await this.reads.inOrganization(owner, organizationId, runById(organizationId, id));
    if (!run) throw new ApiError(RunErrors.notFound);
    return toRunDetail(run);
  }
}
