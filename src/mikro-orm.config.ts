import { defineConfig, type Options } from '@mikro-orm/postgresql';
import { Migrator } from '@mikro-orm/migrations';
import { migrationsList } from '../migrations/index.ts';
import { IdempotencyKey } from './kernel/idempotency/index.ts';
import { LeaseWatch, Worker } from './kernel/leases/index.ts';
import { OutboxEvent } from './kernel/outbox/index.ts';
import { EncryptionKeyCheck } from './kernel/secrets/index.ts';
import { Action, ActionReceipt } from './modules/actions/index.ts';
import { AgentProfile, CatalogRevision, ProfileCapacity } from './modules/agent-profiles/index.ts';
import { Attachment, AttachmentUpload, Chat, Message, MessageChunk } from './modules/chats/index.ts';
import { Discovery, DiscoveryIntention } from './modules/discovery/index.ts';
import { DurabilityRow } from './modules/durability/index.ts';
import { IntegrationCall } from './modules/gateway/index.ts';
import { GitPush, GitPushUpload } from './modules/git-proxy/index.ts';
import { InboxItem } from './modules/inbox/index.ts';
import {
  FxRate,
  InsightState,
  MetricBlock,
  MetricCollection,
  MetricCoverage,
  MetricDefinition,
  MetricPublication,
  MetricRead,
  MetricReceipt,
  MetricRestatement,
  MetricSeries,
  MetricSource,
  MetricStaged,
} from './modules/insights/index.ts';
import {
  Integration,
  IntegrationCredential,
  IntegrationGrant,
  IntegrationInventory,
  IntegrationPreferences,
} from './modules/integrations/index.ts';
import { Knowledge, KnowledgePassage } from './modules/knowledge/index.ts';
import { OAuthClient, OAuthState } from './modules/oauth/index.ts';
import { Onboarding, OnboardingSource, OnboardingUpload } from './modules/onboarding/index.ts';
import { LearningRefresh, Lesson, ProfileMemory, RevokedLesson } from './modules/learning/index.ts';
import {
  Activity,
  ActivityCluster,
  ActivitySubscription,
  Membership,
  Organization,
  OrganizationCapacity,
  OrganizationIcon,
  OrganizationSlug,
  OwnerToken,
} from './modules/organizations/index.ts';
import { Run, RunArtifact, RunLog, RunOutcome } from './modules/runs/index.ts';
import { Schedule, ScheduleOccurrence } from './modules/schedules/index.ts';
import {
  OrganizationDispatch,
  ProfileDispatch,
  RunRequest,
  Task,
  TaskDependency,
  TaskIdentifier,
} from './modules/tasks/index.ts';
import { Webhook, WebhookDelivery, WebhookSecret } from './modules/webhooks/index.ts';

/** Entities and migrations by name, because a glob would find nothing after the build, and wrong files in tests. */
export const ormOptions: Options = defineConfig({
  dbName: 'business_runner',
  entities: [
    Organization,
    OrganizationSlug,
    Membership,
    OwnerToken,
    Activity,
    ActivityCluster,
    ActivitySubscription,
    OutboxEvent,
    EncryptionKeyCheck,
    IdempotencyKey,
    LeaseWatch,
    Worker,
    CatalogRevision,
    AgentProfile,
    OrganizationCapacity,
    OrganizationIcon,
    ProfileCapacity,
    Chat,
    Message,
    MessageChunk,
    Attachment,
    AttachmentUpload,
    Task,
    TaskIdentifier,
    TaskDependency,
    RunRequest,
    OrganizationDispatch,
    ProfileDispatch,
    InboxItem,
    GitPush,
    GitPushUpload,
    IntegrationCall,
    Run,
    RunOutcome,
    RunArtifact,
    RunLog,
    Action,
    ActionReceipt,
    DurabilityRow,
    Integration,
    IntegrationCredential,
    IntegrationGrant,
    IntegrationInventory,
    IntegrationPreferences,
    OAuthClient,
    OAuthState,
    Knowledge,
    KnowledgePassage,
    Schedule,
    ScheduleOccurrence,
    Webhook,
    WebhookSecret,
    WebhookDelivery,
    Onboarding,
    OnboardingSource,
    OnboardingUpload,
    ProfileMemory,
    Lesson,
    RevokedLesson,
    LearningRefresh,
    Discovery,
    DiscoveryIntention,
    InsightState,
    MetricDefinition,
    MetricSource,
    MetricRead,
    MetricCollection,
    MetricStaged,
    MetricSeries,
    MetricBlock,
    MetricCoverage,
    MetricPublication,
    MetricRestatement,
    MetricReceipt,
    FxRate,
  ],
  extensions: [Migrator],
  // Otherwise the first transaction on entities would look for a database called `dbName` on the server, and create it.
  ensureDatabase: false,
  migrations: {
    migrationsList,
    path: 'migrations',
    emit: 'ts',
    snapshotName: '.snapshot',
    // Otherwise each migration run would overwrite the snapshot that the drift test compares with.
    snapshotOnMigrate: false,
    tableName: 'mikro_orm_migrations',
    silent: true,
    // Runs each migration in its own transaction, so that one may be non-transactional (concurrent indexes).
    allOrNothing: false,
  },
  schemaGenerator: {
    // Functions are written by hand in migrations.
    ignoreRoutines: true,
    // Old names of tables, which the previous release still uses.
    skipViews: ['organization_load', 'profile_load'],
  },
});
