import { Module } from '@nestjs/common';
import { ChatsModule } from '../chats/index.ts';
import { OrganizationsModule } from '../organizations/index.ts';
import { OnboardingsController } from './onboardings.controller.ts';
import { ReviewStartService } from './review/review-start.service.ts';
import { OnboardingsService } from './shell/onboardings.service.ts';
import { SourcesController } from './sources.controller.ts';
import { SourceUploadsService } from './sources/source-uploads.service.ts';
import { SourcesJobs } from './sources/sources.jobs.ts';
import { SourcesService } from './sources/sources.service.ts';

@Module({
  imports: [OrganizationsModule, ChatsModule],
  controllers: [OnboardingsController, SourcesController],
  providers: [OnboardingsService, SourceUploadsService, SourcesService, SourcesJobs, ReviewStartService],
})
export class OnboardingModule {}
