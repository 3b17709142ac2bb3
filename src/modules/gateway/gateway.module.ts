import { Module } from '@nestjs/common';
import { ActionsModule } from '../actions/index.ts';
import { ExecutionsModule } from '../executions/index.ts';
import { InboxModule } from '../inbox/index.ts';
import { IntegrationsModule } from '../integrations/index.ts';
import { OrganizationsModule } from '../organizations/index.ts';
import { CallLogJobs } from './calls/call-log.jobs.ts';
import { CallLogService } from './calls/call-log.service.ts';
import { IntegrationCallsController } from './calls/integration-calls.controller.ts';
import { CapabilitiesService } from './capability/capabilities.service.ts';
import { CapabilityAgentController } from './capability/capability.agent.controller.ts';
import { ConnectorManifest } from './manifest/connector-manifest.adapter.ts';
import { McpAgentController } from './mcp/mcp.agent.controller.ts';
import { McpService } from './mcp/mcp.service.ts';
import { ChangedConnectors } from './tool-calls/changed-connectors.adapter.ts';
import { GatewayAgentController } from './tool-calls/gateway.agent.controller.ts';
import { GatewayCallsService } from './tool-calls/gateway-calls.service.ts';
import { GatewayUsesService } from './tool-calls/gateway-uses.service.ts';
import { ToolCalls } from './tool-calls/tool-calls.adapter.ts';
import { ConnectorSightingsService } from './tool-calls/connector-sightings.service.ts';
import { ToolReadsService } from './tool-calls/tool-reads.service.ts';
import { ToolWritesService } from './tool-calls/tool-writes.service.ts';
import { OfferedToolsService } from './tool-calls/offered-tools.service.ts';
import { ToldPeople } from './told-people.adapter.ts';

@Module({
  imports: [OrganizationsModule, IntegrationsModule, InboxModule, ActionsModule, ExecutionsModule],
  controllers: [CapabilityAgentController, GatewayAgentController, McpAgentController, IntegrationCallsController],
  providers: [
    CapabilitiesService,
    GatewayUsesService,
    OfferedToolsService,
    GatewayCallsService,
    ConnectorSightingsService,
    ToolReadsService,
    ToolWritesService,
    ToolCalls,
    ConnectorManifest,
    ChangedConnectors,
    McpService,
    CallLogService,
    CallLogJobs,
    ToldPeople,
  ],
  exports: [GatewayUsesService, CallLogService],
})
export class GatewayModule {}
