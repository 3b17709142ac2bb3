import { Body, Controller, Delete, Get, Param, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Execution, type ExecutionPrincipal } from '../../kernel/auth/index.ts';
import { EdgeErrors, withIssues } from '../../kernel/errors/index.ts';
import { Endpoint, type EndpointSpec } from '../../kernel/http/index.ts';
import { DurabilityAgentService } from './durability.agent.service.ts';
import { DeleteDurabilityRowQuery, DurabilityParams, DurabilityRowDto, PutDurabilityRowDto } from './durability.dto.ts';
import { DurabilityErrors, DurabilityIssues } from './durability.errors.ts';

const agents = { auth: 'execution', returns: DurabilityRowDto } as const satisfies Partial<EndpointSpec>;

@ApiTags('Internal Agent')
@Controller('internal/agent/organizations/:organizationId/durability/:namespace/:key')
export class DurabilityAgentController {
  constructor(private readonly rows: DurabilityAgentService) {}

  @Get()
  @Endpoint({
    ...agents,
    summary: 'Read a row of the own task or chat',
    description:
      'The key is `<taskId>` or `<taskId>.<name>` in namespace `task`, in a chat turn `<chatId>` or `<chatId>.<name>` in namespace `chat`; one of another task or chat is not found.',
    errors: [EdgeErrors.notFound],
  })
  read(@Execution() execution: ExecutionPrincipal, @Param() params: DurabilityParams): Promise<DurabilityRowDto> {
    return this.rows.read(execution, params);
  }

  @Put()
  @Endpoint({
    ...agents,
    summary: 'Write a row of the own task or chat',
    description:
      'With `expectedVersion` 0 it creates the row, else it replaces the row of that version. The payload of kind `task_checkpoint` is `{kind, taskId, taskVersion, summary, artifactUris}`.',
    errors: [
      withIssues(EdgeErrors.validationFailed, DurabilityIssues.wrongTask),
      EdgeErrors.notFound,
      DurabilityErrors.versionConflict,
    ],
  })
  put(
    @Execution() execution: ExecutionPrincipal,
    @Param() params: DurabilityParams,
    @Body() body: PutDurabilityRowDto,
  ): Promise<DurabilityRowDto> {
    return this.rows.put(execution, params, body);
  }

  @Delete()
  @Endpoint({
    ...agents,
    summary: 'Delete a row of the own task or chat',
    errors: [EdgeErrors.notFound, DurabilityErrors.versionConflict],
  })
  delete(
    @Execution() execution: ExecutionPrincipal,
    @Param() params: DurabilityParams,
    @Query() { expectedVersion }: DeleteDurabilityRowQuery,
  ): Promise<DurabilityRowDto> {
    return this.rows.delete(execution, params, expectedVersion);
  }
}
