import { Module } from '@nestjs/common';
import { AgentProfilesModule } from '../agent-profiles/index.ts';
import { ChatsModule } from '../chats/index.ts';
import { OrganizationsModule } from '../organizations/index.ts';
import { ProvisioningController } from './provisioning.controller.ts';
import { ProvisioningService } from './provisioning.service.ts';

@Module({
  imports: [OrganizationsModule, AgentProfilesModule, ChatsModule],
  controllers: [ProvisioningController],
  providers: [ProvisioningService],
})
export class ProvisioningModule {}
