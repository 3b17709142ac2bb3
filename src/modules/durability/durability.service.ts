import { Injectable } from '@nestjs/common';
import type { OwnerPrincipal } from '../../kernel/auth/index.ts';
import { Reads } from '../../kernel/database/index.ts';
import { ApiError } from '../../kernel/errors/index.ts';
import type { Page } from '../../kernel/pagination/index.ts';
import type { DurabilityListQuery, DurabilityRowDto } from './durability.dto.ts';
import { DurabilityErrors } from './durability.errors.ts';
import { durabilityRow, durabilityRows, type RowKey } from './durability.queries.ts';

/** What owners see of durability. */
@Injectable()
export class DurabilityService {
  constructor(private readonly reads: Reads) {}

  list(owner: OwnerPrincipal, organizationId: string, query: DurabilityListQuery): Promise<Page<DurabilityRowDto>> {
    return this.reads.listInOrganization(owner, organizationId, durabilityRows(organizationId, query));
  }

  async read(owner: OwnerPrincipal, key: RowKey): Promise<DurabilityRowDto> {
    const [row] = await this.reads.inOrganization(owner, key.organizationId, durabilityRow(key));
    if (!row) throw new ApiError(DurabilityErrors.notFound);
    return row;
  }
}
