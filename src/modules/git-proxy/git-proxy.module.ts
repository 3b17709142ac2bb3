import { Module } from '@nestjs/common';
import { GatewayModule } from '../gateway/index.ts';
import { IntegrationsModule } from '../integrations/index.ts';
import { ProvidersModule } from '../providers/index.ts';
import { GitAccessService } from './access/index.ts';
import { GitHostService, RepositoryHostService } from './host/index.ts';
import { PushesService } from './push/pushes.service.ts';

@Module({
  imports: [IntegrationsModule, ProvidersModule, GatewayModule],
  providers: [GitHostService, RepositoryHostService, GitAccessService, PushesService],
})
export class GitProxyModule {}
