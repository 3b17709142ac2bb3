import { Injectable } from '@nestjs/common';
import type { OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { Reads, Transactions } from '../../../kernel/database/index.ts';
import { ApiError } from '../../../kernel/errors/index.ts';
import { Idempotency, type IdempotentRequest } from '../../../kernel/idempotency/index.ts';
import type { Page } from '../../../kernel/pagination/index.ts';
import { DependencyWaiverService } from './dependency-waiver.service.ts';
import type { Edge } from '../graph/task-cycles.ts';
import type { TaskDependencyDto, TaskDependencyListQuery } from '../graph/task-dependency.dto.ts';
import { dependenciesOf, dependencyOf } from '../graph/task-dependencies.queries.ts';
import { TaskErrors } from '../task.errors.ts';

@Injectable()
export class TaskDependenciesService {
  constructor(
    private readonly reads: Reads,
    private readonly transactions: Transactions,
    private readonly idempotency: Idempotency,
    private readonly waiver: DependencyWaiverService,
  ) {}

  list(
    owner: OwnerPrincipal,
    organizationId: string,
    query: TaskDependencyListQuery,
  ): Promise<Page<TaskDependencyDto>> {
    return this.reads.listInOrganization(owner, organizationId, dependenciesOf(organizationId, query));
  }

  async read(owner: OwnerPrincipal, organizationId: string, edge: Edge): Promise<TaskDependencyDto> {
    const [row] = await this.reads.inOrganization(owner, organizationId, dependencyOf(organizationId, edge));
    if (!row) throw new ApiError(TaskErrors.dependencyNotFound);
    return row;
  }

  waive(
    owner: OwnerPrincipal,
    organizationId: string,
    { taskId, dependsOnTaskId }: Edge,
    request: IdempotentRequest,
  ): Promise<TaskDependencyDto> {
    const edge = { taskId, dependsOnTaskId };
    return this.transactions.statementsInOrganization(owner, organizationId, (tx) =>
      this.idempotency.once(
        tx,
        { subject: owner.subject, request, details: edge, organizationOf: () => organizationId },
        async () => {
          await this.waiver.waive(tx, edge, owner);
          const [row] = await tx.rows(dependencyOf(organizationId, edge));
          return row!;
        },
      ),
    );
  }
}
