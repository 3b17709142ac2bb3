import { defineEntity, p } from '@mikro-orm/core';
import { timestamp, timestamps } from '../../kernel/database/index.ts';
import { tenantPolicies } from '../../kernel/tenancy/index.ts';
import { organizationOwned } from '../organizations/index.ts';
import { CHAT_STATUSES } from './chat.state.ts';

const schema = defineEntity({
  name: 'Chat',
  tableName: 'chat',
  properties: {
    ...organizationOwned,
    title: p.text(),
    status: p.enum(CHAT_STATUSES).columnType('text').default('open'),
    summary: p.text().nullable(),
    harnessSessionId: p.text().nullable(),
    /**
     * The organization's epoch when the turn that left the session was claimed; under another epoch the session is
     * hidden.
     */
    harnessSessionEpoch: p.integer().nullable(),
    pinnedTaskIds: p.array().columnType('uuid[]').$type<string[]>().default([]),
    isOnboardingChat: p.boolean().default(false),
    lastMessageAt: timestamp().nullable(),
    archivedAt: timestamp().nullable(),
    /** Hides the chat from then on; the purge removes messages and attachments, and then the row. */
    deletedAt: timestamp().nullable(),
    ...timestamps,
  },
  uniques: [{ name: 'chat_of_onboarding', properties: ['organization'], where: 'is_onboarding_chat' }],
  indexes: [
    // Lists are in the order of ids, which the primary key has; filtered ones are in the order of time.
    {
      name: 'chat_by_status',
      expression:
        'create index chat_by_status on chat (organization_id, status, created_at, id) where deleted_at is null',
    },
    // Substrings for `search_chats`; `search_text` folds the text that is searched and the text that is sought alike.
    {
      name: 'chat_title_search_text',
      expression:
        'create index chat_title_search_text on chat using gin (organization_id, search_text(title) gin_trgm_ops)',
    },
    {
      name: 'chat_deleted',
      expression: 'create index chat_deleted on chat (deleted_at, organization_id, id) where deleted_at is not null',
    },
  ],
  policies: tenantPolicies({ dispatch: true }),
  rowLevelSecurity: 'force',
});

export class Chat extends schema.class {}
schema.setClass(Chat);
