import { Module } from '@nestjs/common';
import { IntegrationsModule } from '../integrations/index.ts';
import { OrganizationsModule } from '../organizations/index.ts';
import { CollectionClaimsService } from './collection/collection-claims.service.ts';
import { CollectionPaceService } from './collection/collection-pace.service.ts';
import { CollectionJobs } from './collection/collection.jobs.ts';
import { CollectionsService } from './collection/collections.service.ts';
import { RefreshService } from './collection/refresh.service.ts';
import { DefinitionVersionsService } from './definition-versions.service.ts';
import { InsightsAgentController } from './insights.agent.controller.ts';
import { InsightsController } from './insights.controller.ts';
import { PublicationService } from './publication/publication.service.ts';
import { AskersService } from './query/askers.service.ts';
import { FiguresReadingService } from './query/figures-reading.service.ts';
import { InsightCatalogService } from './query/insight-catalog.service.ts';
import { StandingService } from './query/standing.service.ts';
import { RatesJobs } from './rates/rates.jobs.ts';
import { RatesService } from './rates/rates.service.ts';
import { InsightRetentionJobs } from './retention/insight-retention.jobs.ts';
import { AnswersService } from './receipts/answers.service.ts';
import { ReceiptsService } from './receipts/receipts.service.ts';
import { FollowedConnectors } from './sources/followed-connectors.adapter.ts';

@Module({
  imports: [OrganizationsModule, IntegrationsModule],
  controllers: [InsightsController, InsightsAgentController],
  providers: [
    DefinitionVersionsService,
    RatesService,
    RatesJobs,
    FollowedConnectors,
    PublicationService,
    CollectionClaimsService,
    CollectionPaceService,
    CollectionsService,
    CollectionJobs,
    RefreshService,
    InsightRetentionJobs,
    AskersService,
    StandingService,
    InsightCatalogService,
    FiguresReadingService,
    AnswersService,
    ReceiptsService,
  ],
})
export class InsightsModule {}
