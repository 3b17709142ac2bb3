import { Module } from '@nestjs/common';
import { IntegrationsModule } from '../integrations/index.ts';
import { OrganizationsModule } from '../organizations/index.ts';
import { CollectionClaimsService } from './collection/collection-claims.service.ts';
import { CollectionPaceService } from './collection/collection-pace.service.ts';
import { CollectionJobs } from './collection/collection.jobs.ts';
import { CollectionsService } from './collection/collections.service.ts';
import { RefreshService } from './collection/refresh.service.ts';
import { PublicationService } from './publication/publication.service.ts';
import { RatesJobs } from './rates/rates.jobs.ts';
import { RatesService } from './rates/rates.service.ts';
import { InsightRetentionJobs } from './retention/insight-retention.jobs.ts';
import { FollowedConnectors } from './sources/followed-connectors.adapter.ts';

@Module({
  imports: [OrganizationsModule, IntegrationsModule],
  providers: [
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
  ],
})
export class InsightsModule {}
