import { Module, type OnApplicationShutdown } from '@nestjs/common';
import { Config } from '../../config/index.ts';
import { IntegrationsModule, ProviderAdapters } from '../integrations/index.ts';
import { CodeHost, CodeHostController, RepositoryTokensService } from './code-host/index.ts';
import { CloudAccount } from './cloud-account/index.ts';
import { DocumentDatabases, DocumentDbController } from './document-db/index.ts';
import { EmailDelivery } from './email-delivery/index.ts';
import { KeyValueStore } from './key-value-store/index.ts';
import { McpServers } from './mcp/index.ts';
import { PaymentsProvider, StoresController } from './payments-provider/index.ts';
import { SupportInbox } from './support-inbox/index.ts';
import { WebAnalytics, WebAnalyticsController } from './web-analytics/index.ts';
import { WorkspaceSuite } from './workspace/index.ts';

@Module({
  imports: [IntegrationsModule],
  controllers: [CodeHostController, DocumentDbController, StoresController, WebAnalyticsController],
  providers: [RepositoryTokensService],
  exports: [RepositoryTokensService],
})
export class ProvidersModule implements OnApplicationShutdown {
  private readonly documentDatabases: DocumentDatabases;

  constructor(adapters: ProviderAdapters, { integrations }: Config) {
    this.documentDatabases = new DocumentDatabases(integrations.documentDbHosts);
    adapters.register(new CodeHost(integrations));
    adapters.register(new McpServers());
    adapters.register(new EmailDelivery());
    adapters.register(new SupportInbox());
    adapters.register(new KeyValueStore(integrations.keyValueHosts));
    adapters.register(new CloudAccount(integrations.cloudIdentity));
    adapters.register(new PaymentsProvider());
    adapters.register(new WebAnalytics());
    adapters.register(new WorkspaceSuite());
    adapters.register(this.documentDatabases);
  }

  /** Drivers keep connections beyond a call. */
  onApplicationShutdown(): Promise<void> {
    return this.documentDatabases.close();
  }
}
