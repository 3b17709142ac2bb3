import { Injectable } from '@nestjs/common';
import { Transactions } from '../../../kernel/database/index.ts';
import { EdgeErrors, EdgeIssues, unauthorized } from '../../../kernel/errors/index.ts';
import type { OwnerPrincipal, ServicePrincipal } from '../../../kernel/principals/index.ts';
import { BOOTSTRAP } from '../../../kernel/tenancy/index.ts';
import type { KnownWorkerDto } from './known-worker.dto.ts';
import { knownWorkers } from './known-workers.queries.ts';

/** Which workers there are, for operators. */
@Injectable()
export class KnownWorkersService {
  constructor(private readonly transactions: Transactions) {}

  /** 401 for owners other than the administrator: workers belong to no organization. */
  async list(caller: OwnerPrincipal | ServicePrincipal): Promise<KnownWorkerDto[]> {
    if (caller.kind === 'owner' && caller.subject !== BOOTSTRAP)
      throw unauthorized(EdgeErrors.agentUnauthorized, EdgeIssues.wrongKind);
    const [workers] = await this.transactions.dispatchBatch([knownWorkers()]);
    return workers;
  }
}
