import { Module } from '@nestjs/common';
import { IntegrationsModule, ProviderAdapters } from '../integrations/index.ts';
import { McpServers } from './mcp/index.ts';
import { WebAnalytics, WebAnalyticsController } from './web-analytics/index.ts';
import { WorkspaceSuite } from './workspace/index.ts';

@Module({ imports: [IntegrationsModule], controllers: [WebAnalyticsController] })
export class ProvidersModule {
  constructor(adapters: ProviderAdapters) {
    adapters.register(new McpServers());
    adapters.register(new WebAnalytics());
    adapters.register(new WorkspaceSuite());
  }
}
