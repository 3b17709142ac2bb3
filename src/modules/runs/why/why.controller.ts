import { Controller, Get, Param } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Owner, type OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { Reads } from '../../../kernel/database/index.ts';
import { ApiError } from '../../../kernel/errors/index.ts';
import { Endpoint } from '../../../kernel/http/index.ts';
import { TaskErrors, TaskParams } from '../../tasks/index.ts';
import { WhyDto } from './why.dto.ts';
import { why } from './why.ts';
import { whyFacts } from './why.queries.ts';

/** Here and not with the tasks, since it knows of live runs and capacity. */
@ApiTags('tasks')
@Controller('organizations/:organizationId/tasks/:taskRef/why')
export class WhyController {
  constructor(private readonly reads: Reads) {}

  @Get()
  @Endpoint({
    operationId: 'tasks.why',
    summary: 'Explain what moves a task next',
    description:
      'Answers who moves the task next, what blocks it and who can resolve that, and how much capacity is in use; with one plain sentence, which also names a stopped dispatch or a disabled profile.',
    auth: 'owner',
    scope: 'read',
    returns: WhyDto,
    errors: [TaskErrors.notFound],
  })
  async read(@Owner() owner: OwnerPrincipal, @Param() { organizationId, taskRef }: TaskParams): Promise<WhyDto> {
    const [facts] = await this.reads.inOrganization(owner, organizationId, whyFacts(organizationId, taskRef));
    if (!facts) throw new ApiError(TaskErrors.notFound);
    return why(facts);
  }
}
