import { Module } from '@nestjs/common';
import { ChatsModule } from '../chats/index.ts';
import { KnowledgeModule } from '../knowledge/index.ts';
import { OrganizationsModule } from '../organizations/index.ts';
import { OnboardingsController } from './onboardings.controller.ts';
import { OnboardingCompletionService } from './completion/onboarding-completion.service.ts';
import { ReviewJobs } from './review/review.jobs.ts';
import { ReviewService } from './review/review.service.ts';
import { ReviewStartService } from './review/review-start.service.ts';
import { SourceReadingService } from './review/source-reading.service.ts';
import { OnboardingsService } from './shell/onboardings.service.ts';
import { SourcesController } from './sources.controller.ts';
import { SourceRemovalService } from './sources/source-removal.service.ts';
import { SourceUploadsService } from './sources/source-uploads.service.ts';
import { SourcesJobs } from './sources/sources.jobs.ts';
import { SourcesService } from './sources/sources.service.ts';

@Module({
  imports: [OrganizationsModule, ChatsModule, KnowledgeModule],
  controllers: [OnboardingsController, SourcesController],
  providers: [
    OnboardingsService,
    SourceUploadsService,
    SourceRemovalService,
    SourcesService,
    SourcesJobs,
    ReviewStartService,
    ReviewService,
    SourceReadingService,
    ReviewJobs,
    OnboardingCompletionService,
  ],
  exports: [OnboardingCompletionService],
})
export class OnboardingModule {}
