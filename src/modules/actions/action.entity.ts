import { defineEntity, p } from '@mikro-orm/core';
import { timestamp, timestamps } from '../../kernel/database/index.ts';
import { tenantPolicies } from '../../kernel/tenancy/index.ts';
import { organizationOwned, RISKS } from '../organizations/index.ts';
import {
  ACTION_KINDS,
  ACTION_STATUSES,
  type ActionDecision,
  type ActionError,
  type ActionFacts,
  type ActionPolicy,
  type ActionReconciliation,
  isUnresolvedAction,
} from './action.state.ts';

const UNRESOLVED = isUnresolvedAction('status');

/**
 * A consequential operation: what exactly is to be done, who decided it, and what became of it. Its arguments, digest and
 * facts never change. Tasks, runs, chats, profiles and integrations are named without foreign keys, because they may go.
 */
const schema = defineEntity({
  name: 'Action',
  tableName: 'action',
  properties: {
    ...organizationOwned,
    /** `A-` and six characters, for people. */
    reference: p.text(),
    kind: p.enum(ACTION_KINDS).columnType('text'),
    title: p.text(),
    summary: p.text(),
    connectorKey: p.text(),
    integrationId: p.uuid().nullable(),
    toolName: p.text(),
    /** Canonical JSON (RFC 8785), as text, so that what is sent is what was approved. */
    arguments: p.text(),
    argumentsDigest: p.text(),
    preview: p.text(),
    /** Either of a task or of a chat. */
    taskId: p.uuid().nullable(),
    taskVersion: p.integer().nullable(),
    runId: p.uuid().nullable(),
    chatId: p.uuid().nullable(),
    /** The person's message whose turn proposed it. */
    chatMessageId: p.uuid().nullable(),
    agentProfileId: p.uuid(),
    risk: p.enum(RISKS).columnType('text'),
    policy: p.json<ActionPolicy>(),
    approvalRequired: p.boolean(),
    decision: p.json<ActionDecision>().nullable(),
    status: p.enum(ACTION_STATUSES).columnType('text'),
    revision: p.integer().default(1),
    /** Of the organization, when it was proposed. */
    authorizationEpoch: p.integer(),
    facts: p.json<ActionFacts>(),
    result: p.json<object>().nullable(),
    error: p.json<ActionError>().nullable(),
    /** Unique in its task (chat) for ever. */
    dedupeKey: p.text(),
    /** The newest item about it. */
    inboxItemId: p.uuid().nullable(),
    expiresAt: timestamp(),
    /** Since when it awaits the decision of a person that it awaits now, or awaited last; null where it never did. */
    awaitsSince: timestamp().nullable(),
    /** The decision's time; from then on it waits for an executor. */
    approvedAt: timestamp().nullable(),
    /** Whose it is while it is `executing`, and until when. */
    executorToken: p.uuid().nullable(),
    leaseExpiresAt: timestamp().nullable(),
    /** Leases that lapsed before it was sent. */
    lapses: p.integer().default(0),
    sentAt: timestamp().nullable(),
    /** When the executor looks again what became of it, and how often it has. */
    settleAt: timestamp().nullable(),
    settleAttempts: p.integer().default(0),
    /** A person's word on what became of it. */
    reconciliation: p.json<ActionReconciliation>().nullable(),
    finishedAt: timestamp().nullable(),
    ...timestamps,
  },
  uniques: [
    { name: 'action_reference', properties: ['organization', 'reference'] },
    {
      name: 'action_task_dedupe_key',
      properties: ['organization', 'taskId', 'dedupeKey'],
      where: 'task_id is not null',
    },
    {
      name: 'action_chat_dedupe_key',
      properties: ['organization', 'chatId', 'dedupeKey'],
      where: 'chat_id is not null',
    },
  ],
  checks: [{ name: 'action_task_or_chat', expression: '(task_id is null) <> (chat_id is null)' }],
  indexes: [
    // What lists filter by, in their order.
    { name: 'action_by_status', properties: ['organization', 'status', 'id'] },
    { name: 'action_by_profile', properties: ['organization', 'agentProfileId', 'id'] },
    {
      name: 'action_undecided',
      expression: 'create index action_undecided on action (organization_id, id) where decision is null',
    },
    {
      name: 'action_by_task',
      expression: 'create index action_by_task on action (organization_id, task_id, id) where task_id is not null',
    },
    {
      name: 'action_by_chat',
      expression: 'create index action_by_chat on action (organization_id, chat_id, id) where chat_id is not null',
    },
    // Whether a task or chat has unresolved ones, which its end and each plain completion ask.
    {
      name: 'action_unresolved_of_task',
      expression: `create index action_unresolved_of_task on action (organization_id, task_id) where task_id is not null and ${UNRESOLVED}`,
    },
    // What the jobs look for, across organizations.
    {
      name: 'action_approved',
      expression: `create index action_approved on action (approved_at, organization_id, id) where status = 'approved'`,
    },
    {
      name: 'action_awaiting',
      expression: `create index action_awaiting on action (expires_at, organization_id, id) where status = 'awaiting_approval'`,
    },
    {
      name: 'action_pending',
      expression: `create index action_pending on action (organization_id, id) where status in ('awaiting_approval', 'approved')`,
    },
    {
      name: 'action_executing',
      expression: `create index action_executing on action (lease_expires_at, organization_id, id) where status = 'executing'`,
    },
    {
      name: 'action_unsettled',
      expression: `create index action_unsettled on action (settle_at, organization_id, id) where status = 'reconciliation_required' and settle_at is not null`,
    },
  ],
  policies: tenantPolicies({ dispatch: true }),
  rowLevelSecurity: 'force',
});

export class Action extends schema.class {}
schema.setClass(Action);
