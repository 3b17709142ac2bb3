import { defineEntity, p } from '@mikro-orm/core';
import { timestamp, timestamps } from '../../kernel/database/index.ts';
import { tenantPolicies } from '../../kernel/tenancy/index.ts';
import { organizationOwned } from '../organizations/index.ts';
import {
  INBOX_KINDS,
  INBOX_OPENERS,
  INBOX_PURPOSES,
  INBOX_SEVERITIES,
  INBOX_STATUSES,
  type InboxClosure,
  type InboxPresentation,
  type InboxResponse,
} from './inbox-item.state.ts';

/** What a person has to answer, decide or know. */
const schema = defineEntity({
  name: 'InboxItem',
  tableName: 'inbox_item',
  properties: {
    ...organizationOwned,
    kind: p.enum(INBOX_KINDS).columnType('text'),
    /** Of a question. */
    purpose: p.enum(INBOX_PURPOSES).columnType('text').nullable(),
    status: p.enum(INBOX_STATUSES).columnType('text').default('open'),
    severity: p.enum(INBOX_SEVERITIES).columnType('text'),
    title: p.text(),
    body: p.text(),
    presentation: p.json<InboxPresentation>(),
    openedBy: p.enum(INBOX_OPENERS).columnType('text'),
    openedByProfileKey: p.text().nullable(),
    // Values: runs, chats and actions may go before the item.
    taskId: p.uuid().nullable(),
    runId: p.uuid().nullable(),
    /** The turn that opened it, for the number of its open items. */
    turnId: p.uuid().nullable(),
    chatId: p.uuid().nullable(),
    actionId: p.uuid().nullable(),
    /** Within what a key is unique: the task or chat, and for the backend's items the organization. */
    dedupeScope: p.uuid().nullable(),
    dedupeKey: p.text().collation('C').nullable(),
    /** How often the backend opened it while it was open. */
    occurrences: p.integer().default(1),
    response: p.json<InboxResponse>().nullable(),
    closure: p.json<InboxClosure>().nullable(),
    expiresAt: timestamp().nullable(),
    ...timestamps,
  },
  uniques: [
    {
      name: 'inbox_item_dedupe_key',
      properties: ['organization', 'dedupeScope', 'dedupeKey'],
      where: `status = 'open' and dedupe_key is not null`,
    },
  ],
  indexes: [
    // What the summary counts, and what lists of open items walk.
    {
      name: 'inbox_item_open',
      expression: `create index inbox_item_open on inbox_item (organization_id, kind, created_at, id) where status = 'open'`,
    },
    // What lists of all items filter by, in their order. Only those that say so use them (`atAnyTime`).
    ...['kind', 'status'].map((column) => ({
      name: `inbox_item_by_${column}`,
      expression: `create index inbox_item_by_${column} on inbox_item (organization_id, ${column}, created_at, id) where created_at > '-infinity'`,
    })),
    ...['task_id', 'run_id', 'chat_id', 'action_id'].map((column) => ({
      name: `inbox_item_by_${column}`,
      expression: `create index inbox_item_by_${column} on inbox_item (organization_id, ${column}, id) where ${column} is not null`,
    })),
    // The open items of a turn.
    {
      name: 'inbox_item_of_turn',
      expression: `create index inbox_item_of_turn on inbox_item (organization_id, turn_id) where status = 'open' and turn_id is not null`,
    },
    // What profiles ask to learn, by status.
    {
      name: 'inbox_item_learning_input',
      expression: `create index inbox_item_learning_input on inbox_item (organization_id, opened_by_profile_key, status, updated_at, id) where purpose = 'learning_input'`,
    },
    // What the sweep looks for, across organizations. Approvals expire with their actions.
    {
      name: 'inbox_item_expires',
      expression: `create index inbox_item_expires on inbox_item (expires_at, organization_id, id) where status = 'open' and kind in ('question', 'notification') and expires_at is not null`,
    },
  ],
  checks: [
    { name: 'inbox_item_closed', expression: `(status = 'open') = (closure is null)` },
    { name: 'inbox_item_answered', expression: `(status = 'answered') = (response is not null)` },
    { name: 'inbox_item_purpose', expression: `(kind = 'question') = (purpose is not null)` },
  ],
  policies: tenantPolicies({ dispatch: true }),
  rowLevelSecurity: 'force',
});

export class InboxItem extends schema.class {}
schema.setClass(InboxItem);
