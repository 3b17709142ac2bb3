import { Body, Controller, Param, Patch } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Execution, type ExecutionPrincipal } from '../../kernel/auth/index.ts';
import { EdgeErrors, EdgeIssues, withIssues } from '../../kernel/errors/index.ts';
import { Endpoint } from '../../kernel/http/index.ts';
import { ContextService } from './context/context.service.ts';
import { toConnector } from './integration-projection.ts';
import { ConnectorDto } from './integration.dto.ts';
import { IntegrationErrors, IntegrationIssues, NOT_FOUND } from './integration.errors.ts';
import { AgentContextDto, ConnectorKeyParams } from './runtime/runtime.dto.ts';

@ApiTags('Internal Agent')
@Controller('internal/agent/organizations/:organizationId/integrations')
export class IntegrationsAgentController {
  constructor(private readonly contexts: ContextService) {}

  @Patch(':integrationKey/context')
  @Endpoint({
    summary: 'Change what a connector is used for',
    description:
      'For chat turns, and for runs of the operator that plan or execute. Replaces the fields that are given; departments are for owners to say.',
    auth: 'execution',
    scope: 'work',
    execution: { profileKinds: ['operator', 'chat'], modes: ['plan', 'execute'] },
    returns: ConnectorDto,
    message: 'Context updated',
    errors: [
      withIssues(
        EdgeErrors.validationFailed,
        EdgeIssues.notPermitted,
        IntegrationIssues.noResources,
        IntegrationIssues.foreignResource,
      ),
      NOT_FOUND,
      withIssues(IntegrationErrors.conflict, IntegrationIssues.staleEpoch, IntegrationIssues.staleRevision),
    ],
  })
  async updateContext(
    @Execution() execution: ExecutionPrincipal,
    @Param() { integrationKey }: ConnectorKeyParams,
    @Body() body: AgentContextDto,
  ): Promise<ConnectorDto> {
    return toConnector(await this.contexts.update(execution, integrationKey, body));
  }
}
