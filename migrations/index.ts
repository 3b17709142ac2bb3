import { Migration20261127230000Foundation } from './Migration20261127230000Foundation.ts';
import { Migration20261128020000WorkEngine } from './Migration20261128020000WorkEngine.ts';
import { Migration20261128024411Schedules } from './Migration20261128024411Schedules.ts';
import { Migration20261128054854SharedTransactions } from './Migration20261128054854SharedTransactions.ts';
import { Migration20261128062000Reads } from './Migration20261128062000Reads.ts';
import { Migration20261128070000Chats } from './Migration20261128070000Chats.ts';
import { Migration20261128072553AttachmentUploads } from './Migration20261128072553AttachmentUploads.ts';
import { Migration20261128074500QueuesByProfile } from './Migration20261128074500QueuesByProfile.ts';
import { Migration20261128094055LogsWithoutReference } from './Migration20261128094055LogsWithoutReference.ts';
import { Migration20261128131205RestsAfterReleases } from './Migration20261128131205RestsAfterReleases.ts';
import { Migration20261128221500LeaseWatch } from './Migration20261128221500LeaseWatch.ts';
import { Migration20261128223105LinesOfClaims } from './Migration20261128223105LinesOfClaims.ts';
import { Migration20261128223900SetsOfTasks } from './Migration20261128223900SetsOfTasks.ts';
import { Migration20261128224500FilteredLists } from './Migration20261128224500FilteredLists.ts';
import { Migration20261128225105TurnsHeldBack } from './Migration20261128225105TurnsHeldBack.ts';
import { Migration20261128225600WaitingOnce } from './Migration20261128225600WaitingOnce.ts';
import { Migration20261128230500Retention } from './Migration20261128230500Retention.ts';
import { Migration20261128230700SearchNormalization } from './Migration20261128230700SearchNormalization.ts';
import { Migration20261128234500SearchWithoutTrigrams } from './Migration20261128234500SearchWithoutTrigrams.ts';
import { Migration20261129012000Capacity } from './Migration20261129012000Capacity.ts';
import { Migration20261129101700Rights } from './Migration20261129101700Rights.ts';
import { Migration20261129104500EarlyStatistics } from './Migration20261129104500EarlyStatistics.ts';
import { Migration20261129111500Concurrency } from './Migration20261129111500Concurrency.ts';
import { Migration20261129111800ActivityTransactions } from './Migration20261129111800ActivityTransactions.ts';
import { Migration20261129111900ActivityByTransaction } from './Migration20261129111900ActivityByTransaction.ts';
import { Migration20261129114500FormerLeases } from './Migration20261129114500FormerLeases.ts';
import { Migration20261129114700Workers } from './Migration20261129114700Workers.ts';
import { Migration20261129171349InboxItems } from './Migration20261129171349InboxItems.ts';
import { Migration20261129171935Outbox } from './Migration20261129171935Outbox.ts';
import { Migration20261129175000Actions } from './Migration20261129175000Actions.ts';
import { Migration20261129181200Webhooks } from './Migration20261129181200Webhooks.ts';
import { Migration20261129181800ReconciledActions } from './Migration20261129181800ReconciledActions.ts';
import { Migration20261129182000ActionLists } from './Migration20261129182000ActionLists.ts';
import { Migration20261129203500UnknownDetails } from './Migration20261129203500UnknownDetails.ts';
import { Migration20261129204800Knowledge } from './Migration20261129204800Knowledge.ts';
import { Migration20261129204900KnowledgeSearch } from './Migration20261129204900KnowledgeSearch.ts';
import { Migration20261129205405Onboarding } from './Migration20261129205405Onboarding.ts';
import { Migration20261129210500Learning } from './Migration20261129210500Learning.ts';
import { Migration20261129212500KnowledgePages } from './Migration20261129212500KnowledgePages.ts';
import { Migration20261129213500Discovery } from './Migration20261129213500Discovery.ts';
import { Migration20261129213900KnowledgePlans } from './Migration20261129213900KnowledgePlans.ts';
import { Migration20261130000400Integrations } from './Migration20261130000400Integrations.ts';
import { Migration20261130001058OAuth } from './Migration20261130001058OAuth.ts';
import { Migration20261129214600OrganizationIcon } from './Migration20261129214600OrganizationIcon.ts';
import { Migration20261130003726IntegrationCalls } from './Migration20261130003726IntegrationCalls.ts';
import { Migration20261130081007GitPushes } from './Migration20261130081007GitPushes.ts';
import { Migration20261130081341Insights } from './Migration20261130081341Insights.ts';

/** Every migration in order. Forward-only: one that has landed is never edited. */
export const migrationsList = [
  Migration20261127230000Foundation,
  Migration20261128020000WorkEngine,
  Migration20261128024411Schedules,
  Migration20261128054854SharedTransactions,
  Migration20261128062000Reads,
  Migration20261128070000Chats,
  Migration20261128072553AttachmentUploads,
  Migration20261128074500QueuesByProfile,
  Migration20261128094055LogsWithoutReference,
  Migration20261128131205RestsAfterReleases,
  Migration20261128221500LeaseWatch,
  Migration20261128223105LinesOfClaims,
  Migration20261128223900SetsOfTasks,
  Migration20261128224500FilteredLists,
  Migration20261128225105TurnsHeldBack,
  Migration20261128225600WaitingOnce,
  Migration20261128230500Retention,
  Migration20261128230700SearchNormalization,
  Migration20261128234500SearchWithoutTrigrams,
  Migration20261129012000Capacity,
  Migration20261129101700Rights,
  Migration20261129104500EarlyStatistics,
  Migration20261129111500Concurrency,
  Migration20261129111800ActivityTransactions,
  Migration20261129111900ActivityByTransaction,
  Migration20261129114500FormerLeases,
  Migration20261129114700Workers,
  Migration20261129171349InboxItems,
  Migration20261129171935Outbox,
  Migration20261129175000Actions,
  Migration20261129181200Webhooks,
  Migration20261129181800ReconciledActions,
  Migration20261129182000ActionLists,
  Migration20261129203500UnknownDetails,
  Migration20261129204800Knowledge,
  Migration20261129204900KnowledgeSearch,
  Migration20261129205405Onboarding,
  Migration20261129210500Learning,
  Migration20261129212500KnowledgePages,
  Migration20261129213500Discovery,
  Migration20261129213900KnowledgePlans,
  Migration20261129214600OrganizationIcon,
  Migration20261130000400Integrations,
  Migration20261130001058OAuth,
  Migration20261130003726IntegrationCalls,
  Migration20261130081007GitPushes,
  Migration20261130081341Insights,
];
