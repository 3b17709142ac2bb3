import { Module } from '@nestjs/common';
import { ExecutionsModule } from '../executions/index.ts';
import { IntegrationsModule } from '../integrations/index.ts';
import { OrganizationsModule } from '../organizations/index.ts';
import { RunsModule } from '../runs/index.ts';
import { CitedRuns } from './cited-runs.adapter.ts';
import { ConnectorStandings } from './connector-standings.port.ts';
import { ContextFinding } from './context-finding.adapter.ts';
import { EvidenceService } from './evidence.service.ts';
import { KnowledgeMaterialService } from './knowledge-material.service.ts';
import { KnowledgePublicationService } from './knowledge-publication.service.ts';
import { KnowledgeReadingService } from './knowledge-reading.service.ts';
import { KnowledgeRevocationService } from './knowledge-revocation.service.ts';
import { KnowledgeAgentController } from './knowledge.agent.controller.ts';
import { KnowledgeController } from './knowledge.controller.ts';
import { StandingConnectors } from './standing-connectors.adapter.ts';

@Module({
  imports: [OrganizationsModule, IntegrationsModule, RunsModule, ExecutionsModule],
  controllers: [KnowledgeController, KnowledgeAgentController],
  providers: [
    ConnectorStandings,
    StandingConnectors,
    CitedRuns,
    ContextFinding,
    EvidenceService,
    KnowledgeMaterialService,
    KnowledgePublicationService,
    KnowledgeReadingService,
    KnowledgeRevocationService,
  ],
  exports: [ConnectorStandings, EvidenceService, KnowledgeMaterialService],
})
export class KnowledgeModule {}
