import { Module } from '@nestjs/common';
import { AgentProfilesModule } from '../agent-profiles/index.ts';
import { ChatsModule } from '../chats/index.ts';
import { DiscoveryModule } from '../discovery/index.ts';
import { IntegrationsModule } from '../integrations/index.ts';
import { OrganizationsModule } from '../organizations/index.ts';
import { KnowledgeModule } from '../knowledge/index.ts';
import { OnboardingModule } from '../onboarding/index.ts';
import { ActivationService } from './activation.service.ts';
import { OnboardingCompletionController } from './onboarding-completion.controller.ts';
import { ProvisioningController } from './provisioning.controller.ts';
import { ProvisioningService } from './provisioning.service.ts';

@Module({
  imports: [
    OrganizationsModule,
    AgentProfilesModule,
    ChatsModule,
    IntegrationsModule,
    KnowledgeModule,
    DiscoveryModule,
    OnboardingModule,
  ],
  controllers: [ProvisioningController, OnboardingCompletionController],
  providers: [ProvisioningService, ActivationService],
})
export class ProvisioningModule {}
