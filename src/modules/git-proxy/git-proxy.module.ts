import { Module } from '@nestjs/common';
import { ActionsModule } from '../actions/index.ts';
import { GatewayModule } from '../gateway/index.ts';
import { IntegrationsModule } from '../integrations/index.ts';
import { ProvidersModule } from '../providers/index.ts';
import { GitAccessService } from './access/index.ts';
import { DiscoveriesService } from './fetch/discoveries.service.ts';
import { FetchesService } from './fetch/fetches.service.ts';
import { GitFetchAgentController } from './fetch/git-fetch.agent.controller.ts';
import { GitHostService, RepositoryHostService } from './host/index.ts';
import { GitPushAgentController } from './push/git-push.agent.controller.ts';
import { GitPushesJobs } from './push/git-pushes.jobs.ts';
import { PushAnswersService } from './push/push-answers.service.ts';
import { PushPreviewsService } from './push/push-previews.service.ts';
import { PushStagingService } from './push/push-staging.service.ts';
import { PushesService } from './push/pushes.service.ts';
import { GitPushes } from './sending/git-pushes.adapter.ts';
import { PushHostService } from './sending/push-host.service.ts';
import { PushUseService } from './sending/push-use.service.ts';
import { InstalledGitService, LeftRepositoriesService } from './verification/index.ts';

@Module({
  imports: [ActionsModule, IntegrationsModule, ProvidersModule, GatewayModule],
  controllers: [GitFetchAgentController, GitPushAgentController],
  providers: [
    InstalledGitService,
    LeftRepositoriesService,
    GitHostService,
    RepositoryHostService,
    GitAccessService,
    DiscoveriesService,
    FetchesService,
    PushesService,
    PushStagingService,
    PushPreviewsService,
    PushAnswersService,
    GitPushesJobs,
    PushUseService,
    PushHostService,
    GitPushes,
  ],
})
export class GitProxyModule {}
