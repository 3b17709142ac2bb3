import { defineEntity, p } from '@mikro-orm/core';
import { timestamp, timestamps } from '../../../kernel/database/index.ts';
import type { Scope } from '../../../kernel/principals/index.ts';
import { tenantPolicies } from '../../../kernel/tenancy/index.ts';
import { organizationOwned } from '../../organizations/index.ts';
import { Chat } from '../chat.entity.ts';
import {
  isActive,
  type MessageAuthor,
  type MessageError,
  type MessagePart,
  MESSAGE_ROLES,
  MESSAGE_STATUSES,
} from './message.state.ts';

export interface TurnUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly toolCalls: number;
  readonly costMinorUnits: number;
}

/**
 * A message of a chat. An assistant's message is its turn: lease, attempt and status are columns of the one row. No
 * index and no index's condition has a column that appends and heartbeats write (`revision`, `textBytes`,
 * `leaseExpiresAt`, `heartbeatAt`, `capabilityExpiresAt`, `updatedAt`), so that those writes stay in place; hence
 * `leased`.
 */
const schema = defineEntity({
  name: 'Message',
  tableName: 'message',
  properties: {
    ...organizationOwned,
    chat: () =>
      p
        .manyToOne(Chat)
        .joinColumns('organization_id', 'chat_id')
        .referencedColumnNames('organization_id', 'id')
        .updateRule('no action')
        .deleteRule('no action'),
    chatId: p.uuid().persist(false),
    /** The user's message that an answer is for. */
    replyToMessageId: p.uuid().nullable(),
    role: p.enum(MESSAGE_ROLES).columnType('text'),
    status: p.enum(MESSAGE_STATUSES).columnType('text'),
    revision: p.integer().default(1),
    author: p.json<MessageAuthor>().nullable(),
    /** Of a user's message: the scopes of the token that posted it. Null where the release that stored it knew none. */
    scopes: p.array().columnType('text[]').$type<Scope[]>().nullable(),
    /** Empty while an answer streams: its text is in `message_chunk` until the end folds it into the parts. */
    parts: p.json<MessagePart[]>().defaultRaw(`'[]'`),
    error: p.json<MessageError>().nullable(),
    usage: p.json<TurnUsage>().nullable(),
    completedAt: timestamp().nullable(),

    /** The chat profile that answers. No foreign key: profiles may be deleted. */
    agentProfileId: p.uuid().nullable(),
    /** Whether a worker holds it: a claim sets this, a release, a lapse or an end clears it. */
    leased: p.boolean().default(false),
    /**
     * Whether it waits, but is not to be claimed until `restsUntil`: a worker gave it back, so others come first. For
     * ever (`infinity`) while no turn of the organization may be claimed.
     */
    resting: p.boolean().default(false),
    restsUntil: timestamp().nullable(),
    /** Releases in a row, as long as `releasedAttempt` is the present `attempt`. */
    releaseStreak: p.integer().default(0),
    releasedAttempt: p.integer().nullable(),
    /** SHA-256 of the lease token; kept past the end, and past a failed attempt until the next claim, for repeats. */
    leaseTokenHash: p.blob().columnType('bytea').nullable(),
    /** Of the claim before, whose holder learns that it lost the turn. */
    formerTokenHash: p.blob().columnType('bytea').nullable(),
    leaseExpiresAt: timestamp().nullable(),
    heartbeatAt: timestamp().nullable(),
    /** When the newest execution capability expires. */
    capabilityExpiresAt: timestamp().nullable(),
    workerId: p.text().nullable(),
    bootId: p.uuid().nullable(),
    /** Set by the worker: a repeat of its claim gets the same turns again. */
    claimRequestKey: p.text().nullable(),
    firstClaimedAt: timestamp().nullable(),
    /** Claims so far; a capability carries it as its generation. */
    generation: p.integer().default(0),
    /** Attempts so far that began to stream, or failed. */
    attempt: p.integer().default(0),
    /** The organization's epoch, and the catalog revision of the profile, when it was claimed. */
    authorizationEpoch: p.integer().nullable(),
    catalogRevision: p.text().nullable(),
    harness: p.text().nullable(),
    model: p.text().nullable(),
    cancelRequestedAt: timestamp().nullable(),
    /** Chunks of this draft are the text; the number rises whenever the text so far is discarded. */
    draft: p.integer().default(1),
    /** UTF-8 bytes of the draft so far. */
    textBytes: p.integer().default(0),
    /** Set by the end: from then on the chunks may be removed. */
    chunksExpireAt: timestamp().nullable(),
    /** SHA-256 of the last final call's canonical body, and its answer for repeats. */
    finalDigest: p.text().nullable(),
    finalAnswer: p.json<object>().nullable(),
    ...timestamps,
  },
  uniques: [{ name: 'message_active', properties: ['organization', 'chat'], where: isActive('status') }],
  indexes: [
    // By time: the database's clock orders the messages of a chat that several processes post.
    { name: 'message_by_chat', properties: ['organization', 'chat', 'createdAt', 'id'] },
    // Answers of a chat by how they ended; written once, at the end.
    {
      name: 'message_ended_turns',
      expression: `create index message_ended_turns on message (organization_id, chat_id, status, created_at, id) where role = 'assistant' and status in ('complete', 'failed', 'cancelled')`,
    },
    // Turns that claims take, oldest first, walked from organization to organization.
    {
      name: 'message_claimable',
      expression: `create index message_claimable on message (organization_id, created_at, id) where status = 'pending' and not leased and not resting`,
    },
    {
      name: 'message_resting',
      expression: `create index message_resting on message (rests_until, organization_id, created_at, id) where status = 'pending' and resting`,
    },
    // Live turns: the limit of an organization, lapses, timeouts.
    { name: 'message_leased', expression: 'create index message_leased on message (organization_id, id) where leased' },
    // Repeats of a claim, and the turns that a worker held.
    {
      name: 'message_claimed',
      expression: 'create index message_claimed on message (worker_id, claim_request_key) where leased',
    },
    {
      name: 'message_cancelling',
      expression: `create index message_cancelling on message (cancel_requested_at, organization_id, id) where status = 'cancelling'`,
    },
    {
      name: 'message_chunks_expire',
      expression:
        'create index message_chunks_expire on message (chunks_expire_at, organization_id, id) where chunks_expire_at is not null',
    },
    // Substrings for `search_chats`; `search_text` folds the text that is searched and the text that is sought alike. Measured
    // 2 ms among 25,000 messages of an organization, and 0.3 s for a text without trigrams: one or two characters and, where
    // the database's LC_CTYPE is C as in the embedded cluster, letters outside ASCII. A streaming text is not in it yet.
    {
      name: 'message_search_text',
      expression:
        'create index message_search_text on message using gin (organization_id, search_text(message_text(parts)) gin_trgm_ops)',
    },
  ],
  checks: [
    { name: 'message_user_complete', expression: `role = 'assistant' or status = 'complete'` },
    {
      name: 'message_lease',
      expression: `not leased or (${isActive('status')} and lease_expires_at is not null and lease_token_hash is not null)`,
    },
  ],
  policies: tenantPolicies({ dispatch: true }),
  rowLevelSecurity: 'force',
});

export class Message extends schema.class {}
schema.setClass(Message);
