import { type DynamicModule, Module } from '@nestjs/common';
import { type Config, ConfigModule } from './config/index.ts';
import { AuthModule } from './kernel/auth/index.ts';
import { CensusModule } from './kernel/census/index.ts';
import { DatabaseModule } from './kernel/database/index.ts';
import { BusModule } from './kernel/bus/index.ts';
import { EgressModule } from './kernel/egress/index.ts';
import { ExtractionModule } from './kernel/extraction/index.ts';
import { Draining, HttpModule } from './kernel/http/index.ts';
import { IdempotencyModule } from './kernel/idempotency/index.ts';
import { JobsModule } from './kernel/jobs/index.ts';
import { LeasesModule } from './kernel/leases/index.ts';
import { MetricsModule } from './kernel/metrics/index.ts';
import { OutboxModule } from './kernel/outbox/index.ts';
import { SecretsModule } from './kernel/secrets/index.ts';
import { StatisticsModule } from './kernel/statistics/index.ts';
import { StorageModule } from './kernel/storage/index.ts';
import { Tracing, TracingModule } from './kernel/tracing/index.ts';
import { UploadsModule } from './kernel/uploads/index.ts';
import { ormOptions } from './mikro-orm.config.ts';
import { ActionsModule } from './modules/actions/index.ts';
import { AgentProfilesModule } from './modules/agent-profiles/index.ts';
import { ChatsModule } from './modules/chats/index.ts';
import { DiscoveryModule } from './modules/discovery/index.ts';
import { DurabilityModule } from './modules/durability/index.ts';
import { ExecutionsModule } from './modules/executions/index.ts';
import { GatewayModule } from './modules/gateway/index.ts';
import { GitProxyModule } from './modules/git-proxy/index.ts';
import { InboxModule } from './modules/inbox/index.ts';
import { InsightsModule } from './modules/insights/index.ts';
import { IntegrationsModule } from './modules/integrations/index.ts';
import { ProvidersModule } from './modules/providers/index.ts';
import { KnowledgeModule } from './modules/knowledge/index.ts';
import { OauthModule } from './modules/oauth/index.ts';
import { OnboardingModule } from './modules/onboarding/index.ts';
import { LearningModule } from './modules/learning/index.ts';
import { OrganizationsModule } from './modules/organizations/index.ts';
import { ProvisioningModule } from './modules/provisioning/index.ts';
import { RunsModule } from './modules/runs/index.ts';
import { SchedulesModule } from './modules/schedules/index.ts';
import { TasksModule } from './modules/tasks/index.ts';
import { WebhooksModule } from './modules/webhooks/index.ts';

@Module({})
export class AppModule {
  static register(config: Config, draining: Draining, tracing: Tracing = Tracing.OFF): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.register(config),
        MetricsModule,
        TracingModule.register(tracing),
        DatabaseModule.register(ormOptions),
        CensusModule,
        BusModule,
        StorageModule,
        EgressModule,
        ExtractionModule,
        AuthModule,
        HttpModule.register(draining),
        IdempotencyModule,
        JobsModule,
        OutboxModule,
        SecretsModule,
        LeasesModule,
        StatisticsModule,
        UploadsModule,
        OrganizationsModule,
        AgentProfilesModule,
        ChatsModule,
        IntegrationsModule,
        ProvidersModule,
        OauthModule,
        TasksModule,
        InboxModule,
        ActionsModule,
        RunsModule,
        ExecutionsModule,
        WebhooksModule,
        GatewayModule,
        GitProxyModule,
        SchedulesModule,
        DurabilityModule,
        KnowledgeModule,
        InsightsModule,
        OnboardingModule,
        LearningModule,
        DiscoveryModule,
        ProvisioningModule,
      ],
    };
  }
}
