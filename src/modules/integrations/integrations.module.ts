import { Module } from '@nestjs/common';
import { AgentProfilesModule } from '../agent-profiles/index.ts';
import { OrganizationsModule } from '../organizations/index.ts';
import { CredentialSource } from './credential-source.port.ts';
import { ProviderAdapters } from './provider-adapters.port.ts';

@Module({
  imports: [OrganizationsModule, AgentProfilesModule],
  providers: [ProviderAdapters, CredentialSource],
  exports: [ProviderAdapters, CredentialSource],
})
export class IntegrationsModule {}
