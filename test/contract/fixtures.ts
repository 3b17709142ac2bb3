import { createHash, randomUUID } from 'node:crypto';
import { actionRow } from '../support/factories/actions.ts';
import { attached } from '../support/factories/attachments.ts';
import { connectedRow } from '../support/factories/integrations/connectors.ts';
import { createChat, firstChat, messageRow } from '../support/factories/chats.ts';
import type { Answer } from '../support/client.ts';
import { openNotice } from '../support/factories/inbox.ts';
import { grantRows, integrationRow, preferRows } from '../support/factories/integrations/rows.ts';
import { receiptOf } from '../support/factories/insights/receipts.ts';
import { knowledgeRow } from '../support/factories/knowledge.ts';
import { sourceOf } from '../support/factories/onboardings.ts';
import { lessonRow } from '../support/factories/learning.ts';
import { createSchedule } from '../support/factories/schedules.ts';
import { createTask } from '../support/factories/tasks.ts';
import { createWebhook } from '../support/factories/webhooks.ts';
import type { TestApp } from '../support/test-app.ts';
import type { StartedRun } from '../support/factories/work.ts';
import { OCTETS, UPLOADED } from './operations.ts';

export type Person = Awaited<ReturnType<TestApp['person']>>;

export interface Fixture {
  /** Makes an entity in the owner's organization and answers its id. */
  make(owner: Person, organizationId: string, app: TestApp, run: StartedRun): Promise<string>;
  /** An id of the right form that names nothing. */
  unknown(): string;
  /** A PUT makes what the caller names, so it has no wrong parent. */
  readonly namedByCaller?: true;
  /** A digest of what `send` uploads, or a fixed word: the same under every parent. */
  readonly namedByContent?: true;
  /** Any text will do as one. */
  readonly anyText?: true;
}

const INBOX_ITEM: Fixture = {
  make: (_owner, organizationId, app) => openNotice(app, organizationId),
  unknown: randomUUID,
};

/** What stands for a path parameter. A route with a new parameter needs its line here; every test of this folder then covers it. */
const FIXTURES: Readonly<Record<string, Fixture>> = {
  'organizations/{organizationId}': { make: async (_owner, organizationId) => organizationId, unknown: randomUUID },
  'agent-profiles/{id}': {
    make: async (owner, organizationId) => {
      const profile = { key: `fixture-${Date.now()}`, name: 'Fixture', kind: 'department', department: 'growth' };
      return idOf(await owner.post(`/organizations/${organizationId}/agent-profiles`, profile));
    },
    unknown: randomUUID,
  },
  'members/{subject}': {
    make: async (owner, organizationId, app) => {
      const { subject } = await app.person();
      const { status } = await owner.put(`/organizations/${organizationId}/members/${subject}`, { role: 'owner' });
      if (status !== 200) throw new Error(`No member: ${status}`);
      return subject;
    },
    unknown: () => `token:${randomUUID()}`,
    namedByCaller: true,
  },
  'owner-tokens/{ownerTokenId}': {
    make: async (owner) => idOf(await owner.post('/owner-tokens', { name: 'fixture' })),
    unknown: randomUUID,
  },
  'chats/{chatId}': { make: (_owner, organizationId, app) => firstChat(app, organizationId), unknown: randomUUID },
  'tasks/{taskRef}': {
    make: async (owner, organizationId) => (await createTask(owner, organizationId)).id,
    unknown: randomUUID,
  },
  'run-requests/{id}': {
    make: async (owner, organizationId) => {
      const { id } = await createTask(owner, organizationId);
      const { body } = await owner.get(`/organizations/${organizationId}/run-requests?taskId=${id}`);
      return body.data[0].id as string;
    },
    unknown: randomUUID,
  },
  // Calls under a lease get work of their own where they are to succeed (`leased-calls.ts`).
  'run-requests/{runRequestId}': { make: async () => randomUUID(), unknown: randomUUID },
  'runs/{runId}': { make: async () => randomUUID(), unknown: randomUUID },
  'chat-turns/{turnId}': { make: async () => randomUUID(), unknown: randomUUID },
  'workers/{workerId}': { make: async () => `worker-${randomUUID()}`, unknown: randomUUID, anyText: true },
  'runs/{id}': { make: async (_owner, _organizationId, _app, { runId }) => runId, unknown: randomUUID },
  'artifacts/{sha256}': {
    make: async (_owner, organizationId, app, { executionToken }) => {
      const sha256 = createHash('sha256').update(UPLOADED).digest('hex');
      const path = `/internal/agent/organizations/${organizationId}/artifacts/${sha256}`;
      const { status, text } = await app.client(executionToken).put(path, UPLOADED, { 'content-type': OCTETS });
      if (status !== 201) throw new Error(`No artifact: ${text}`);
      return sha256;
    },
    unknown: () => createHash('sha256').update(randomUUID()).digest('hex'),
    namedByContent: true,
  },
  'schedules/{scheduleRef}': {
    make: async (_owner, organizationId, app) => (await createSchedule(app, organizationId)).id,
    unknown: randomUUID,
    // A key is any word.
    anyText: true,
  },
  'chats/{id}': { make: (owner, organizationId) => createChat(owner, organizationId), unknown: randomUUID },
  'messages/{id}': {
    make: async (_owner, organizationId, app) => messageRow(app, organizationId, await firstChat(app, organizationId)),
    unknown: randomUUID,
  },
  // In that chat; active where a call is about its turn (`estate.ts`).
  'messages/{messageId}': {
    make: async (_owner, organizationId, app) =>
      messageRow(app, organizationId, await firstChat(app, organizationId), { role: 'assistant', status: 'failed' }),
    unknown: randomUUID,
  },
  // In that chat too, as the example shows it.
  'attachments/{attachmentId}': {
    make: async (owner, organizationId, app) => {
      const place = { organizationId, chatId: await firstChat(app, organizationId) };
      return attached(owner, place, { fileName: 'orders.csv', mediaType: 'text/csv', bytes: UPLOADED });
    },
    unknown: randomUUID,
    namedByCaller: true,
  },
  // In the record of an onboarding that this organization did not begin with.
  'sources/{sourceId}': {
    make: async (owner, organizationId, app) => {
      await app.db.query('insert into onboarding (organization_id) values ($1)', [organizationId]);
      return sourceOf(owner, organizationId, { fileName: 'orders.csv', mediaType: 'text/csv', bytes: UPLOADED });
    },
    unknown: randomUUID,
    namedByCaller: true,
  },
  'learning/{profileKey}': {
    make: async () => 'growth',
    unknown: () => `profile-${Date.now()}`,
    namedByContent: true,
    anyText: true,
  },
  'lessons/{lessonKey}': {
    make: async (_owner, organizationId, app) => (await lessonRow(app, organizationId)).key,
    unknown: () => `lesson-${Date.now()}`,
    anyText: true,
  },
  'human-inbox/{inboxItemId}': INBOX_ITEM,
  'inbox/{inboxItemId}': INBOX_ITEM,
  'actions/{id}': {
    make: (_owner, organizationId, app) => actionRow(app, organizationId),
    unknown: randomUUID,
  },
  'webhooks/{webhookId}': {
    make: async (owner, organizationId) =>
      (await createWebhook(owner, organizationId, 'https://hooks.acme.example/')).id,
    unknown: randomUUID,
  },
  // Of the webhook that was made before it.
  'deliveries/{deliveryId}': {
    make: async (owner, organizationId) => {
      const path = `/organizations/${organizationId}/webhooks`;
      const { body } = await owner.get(path);
      return idOf(await owner.post(`${path}/${body.data[0].id}/test`));
    },
    unknown: randomUUID,
  },
  'integrations/{integrationRef}': {
    make: (_owner, organizationId, app) => connectedRow(app, organizationId),
    unknown: randomUUID,
    // A key is any word.
    anyText: true,
  },
  'integrations/{integrationKey}': {
    make: async (_owner, organizationId, app) => {
      const key = `mcp-${randomUUID()}`;
      await integrationRow(app, organizationId, { row: { key } });
      return key;
    },
    unknown: () => `mcp-${randomUUID()}`,
    anyText: true,
  },
  'integrations/{integrationId}': {
    make: async (_owner, organizationId, app) => {
      const id = await connectedRow(app, organizationId);
      await grantRows(app, organizationId, id, { operator: 'full' });
      // The provider is not asked anew what it lists.
      await app.db.query('update integration_inventory set listed_at = now() where integration_id = $1', [id]);
      return id;
    },
    unknown: randomUUID,
  },
  '{integrationId}/{owner}': { make: async () => 'acme', unknown: () => 'nobody', namedByContent: true },
  '{owner}/{repository}': { make: async () => 'shop', unknown: () => 'nothing', namedByContent: true },
  'tools/{toolName}': {
    make: async () => 'list_orders',
    unknown: () => 'nothing',
    namedByContent: true,
    anyText: true,
  },
  'preferences/{purpose}': {
    make: async (_owner, organizationId, app) => {
      await preferRows(app, organizationId, { order_management: ['mcp-orders', 'mcp-orders-2'] });
      return 'order_management';
    },
    unknown: () => 'nothing',
    namedByContent: true,
    anyText: true,
  },
  // Of the source that the example of a query names.
  'receipts/{receiptId}': {
    make: (owner, organizationId, app) => receiptOf(owner, organizationId, app),
    unknown: randomUUID,
  },
  'knowledge/{knowledgeId}': {
    make: (_owner, organizationId, app) => knowledgeRow(app, organizationId),
    unknown: randomUUID,
  },
  'durability/{namespace}': { make: async () => 'task', unknown: () => 'chat', namedByContent: true },
  '{namespace}/{key}': {
    make: async (_owner, organizationId, app, { executionToken, taskId }) => {
      const path = `/internal/agent/organizations/${organizationId}/durability/task/${taskId}`;
      const row = { kind: 'draft', payload: {}, expectedVersion: 0 };
      const { status, text } = await app.client(executionToken).put(path, row);
      if (status !== 200) throw new Error(`No durability row: ${text}`);
      return taskId;
    },
    unknown: randomUUID,
  },
  'task-dependencies/{taskId}': {
    make: async (owner, organizationId) => {
      const { id: taskRef } = await createTask(owner, organizationId);
      return (await createTask(owner, organizationId, { dependsOn: [{ taskRef }] })).id;
    },
    unknown: randomUUID,
  },
  // The other end of that task's one dependency.
  '{taskId}/{dependsOnTaskId}': {
    make: async (owner, organizationId) =>
      (await owner.get(`/organizations/${organizationId}/task-dependencies`)).body.data[0].dependsOnTaskId as string,
    unknown: randomUUID,
  },
};

function idOf({ status, body }: Answer): string {
  if (status >= 300) throw new Error(`No fixture: ${JSON.stringify(body)}`);
  return body.data.id as string;
}

export function fixtureOf(key: string): Fixture {
  const fixture = FIXTURES[key];
  if (!fixture)
    throw new Error(
      `No fixture for the path parameter "${key}": add a line '${key}' to FIXTURES in test/contract/fixtures.ts that makes one in an organization and answers its id.`,
    );
  return fixture;
}
