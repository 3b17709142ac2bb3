import { Module } from '@nestjs/common';
import { IntegrationsModule, ProviderAdapters } from '../integrations/index.ts';
import { McpServers } from './mcp/index.ts';
import { WorkspaceSuite } from './workspace/index.ts';

@Module({ imports: [IntegrationsModule] })
export class ProvidersModule {
  constructor(adapters: ProviderAdapters) {
    adapters.register(new McpServers());
    adapters.register(new WorkspaceSuite());
  }
}
