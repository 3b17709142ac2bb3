import { Capabilities } from '../../src/kernel/auth/index.ts';
import { type Answer, type Client, organizationOf } from '../support/client.ts';
import type { TestApp } from '../support/test-app.ts';
import { serveProbe } from '../support/factories/actions.ts';
import { runRow } from '../support/factories/engine-rows.ts';
import { knownIcon } from '../support/factories/icons.ts';
import { profileOf } from '../support/factories/profiles.ts';
import { changeRow, type Columns } from '../support/factories/rows.ts';
import { grantRows, preferRows } from '../support/factories/integrations/rows.ts';
import { heldTurn } from '../support/factories/turns.ts';
import { startedRun } from '../support/factories/work.ts';
import { fixtureOf, type Person } from './fixtures.ts';
import { LEASED_CALLS } from './leased-calls.ts';
import type { Operation } from './operations.ts';

/** One owner's organization with an entity for every path parameter of the document. */
export class Estate {
  readonly owner: Person;
  readonly organizationId: string;
  readonly ids: ReadonlyMap<string, string>;
  /** A live run of the operator. */
  readonly agent: Client;
  /** A live turn of the chat profile. */
  readonly chat: Client;
  /** The operator's run at a connector. */
  readonly gateway: Client;
  /** Members that only read. */
  private viewers: Person | undefined;
  private readonly limited = new Map<string, Client>();

  private readonly app: TestApp;

  private constructor(
    app: TestApp,
    owner: Person,
    organizationId: string,
    ids: ReadonlyMap<string, string>,
    agent: Client,
    chat: Client,
    gateway: Client,
  ) {
    this.app = app;
    this.owner = owner;
    this.organizationId = organizationId;
    this.ids = ids;
    this.agent = agent;
    this.chat = chat;
    this.gateway = gateway;
  }

  static async make(app: TestApp, operations: readonly Operation[]): Promise<Estate> {
    const owner = await app.person();
    const organizationId = await organizationOf(owner);
    const run = await startedRun(app, organizationId, { profile: 'operator' });
    // No test of the contract is about its lease.
    await app.db.query(`update run set lease_expires_at = now() + interval '1 hour' where id = $1`, [run.runId]);
    const ids = new Map<string, string>();
    for (const { key } of operations.flatMap(({ parameters }) => parameters))
      if (!ids.has(key)) ids.set(key, await fixtureOf(key).make(owner, organizationId, app, run));
    serveProbe(app);
    await knownIcon(app, organizationId);
    const chat = await liveTurn(app, organizationId);
    const gateway = await gatewayOf(app, run.executionToken, ids.get('integrations/{integrationId}')!);
    return new Estate(app, owner, organizationId, ids, app.client(run.executionToken), chat, gateway);
  }

  /** Somebody whom the operation lets in here. */
  callerOf({ isPublic, name, path, schemes }: Operation): Client {
    if (path === '/metrics') return this.app.scraper;
    if (isPublic) return this.app.anonymous;
    // Of owners only the administrator may.
    if (path === '/workers') return this.app.service;
    if (schemes.includes('ownerToken')) return this.owner;
    // A runtime has to name whose question it is.
    if (path.includes('/insights/')) return this.agent;
    if (schemes.includes('agentServiceToken')) return this.app.service;
    if (schemes.includes('integrationGatewayCapability')) return this.gateway;
    return OF_CHATS.test(name) ? this.chat : this.agent;
  }

  /** A client with a genuine token of an execution of this organization, alive or not. */
  execution(): Promise<Client> {
    return this.app.execution({ organizationId: this.organizationId });
  }

  /** Somebody whose role is to read here, with a token that may do everything. */
  async viewer(): Promise<Person> {
    if (this.viewers) return this.viewers;
    const viewer = await this.app.person();
    await this.owner.put(`/organizations/${this.organizationId}/members/${viewer.subject}`, { role: 'viewer' });
    return (this.viewers = viewer);
  }

  /** The owner, with a token that is limited so. */
  async ownerLimitedTo(limits: { readonly scopes?: readonly string[]; readonly organizationIds?: readonly string[] }) {
    const key = JSON.stringify(limits);
    const known = this.limited.get(key);
    if (known) return known;
    const { body } = await this.owner.post('/owner-tokens', { name: 'limited', ...limits });
    const client = this.app.client(body.data.token);
    this.limited.set(key, client);
    return client;
  }

  /** Somebody with a good token of a kind that the operation does not take. */
  wrongCallerOf({ schemes }: Operation): Client {
    return schemes.includes('agentServiceToken') ? this.owner : this.app.service;
  }

  /** The operation's path here with its query; `others` replaces single parameters, as they stand there. */
  pathOf(operation: Operation, others: Readonly<Record<string, string>> = {}): string {
    const filled = operation.parameters.reduce(
      (rest, { key, name }) => rest.replace(`{${name}}`, others[name] ?? encodeURIComponent(this.ids.get(key)!)),
      operation.path,
    );
    const query = operation.query(others);
    return query === '' ? filled : `${filled}?${query}`;
  }
}

/** What only a person's turn does: all that executions do about actions and the inbox but proposing and opening. */
const OF_CHATS =
  /^GET \/internal\/agent\/.*\/(actions|inbox)(\/|$)|\/actions\/\{id\}\/(approve|reject|reconcile)$|\/inbox\/\{inboxItemId\}\//;

/** A turn of the chat profile that nothing ends, in a chat of its own. */
async function liveTurn(app: TestApp, organizationId: string): Promise<Client> {
  const { turnId } = await heldTurn(app, organizationId);
  const { rows } = await app.db.query<{ profile: string; generation: number }>(
    `update message set lease_expires_at = now() + interval '1 hour' where id = $1
     returning agent_profile_id as profile, generation`,
    [turnId],
  );
  return app.execution({
    organizationId,
    agentProfileId: rows[0]!.profile,
    profileKey: 'chat',
    profileKind: 'chat',
    department: null,
    execution: 'chat_turn',
    executionId: turnId,
    mode: null,
    generation: rows[0]!.generation,
  });
}

/** A run at a connector, with a token that stands as long as the epoch of new organizations does. */
async function gatewayOf(app: TestApp, executionToken: string, integrationId: string): Promise<Client> {
  const capabilities = app.app.get(Capabilities);
  const { kind: _kind, ...execution } = (await capabilities.verify(executionToken))!;
  return app.client(capabilities.issueGateway({ execution, integrationId, authorizationEpoch: 1, access: 'read' }));
}

/** Lets the epoch be that of the examples and of the token, and the operator use the connectors of the paths. */
async function standAsShown(app: TestApp, { organizationId, ids }: Estate): Promise<void> {
  await app.db.query('update organization set authorization_epoch = 1 where id = $1', [organizationId]);
  const { rows } = await app.db.query<{ id: string }>(
    `select id from integration i where organization_id = $1 and key = $2
       and not exists (select from integration_grant g where g.integration_id = i.id)`,
    [organizationId, ids.get('integrations/{integrationKey}')],
  );
  for (const { id } of rows) await grantRows(app, organizationId, id, { operator: 'full' });
  await app.db.query(
    `update integration i set endpoint = shown.endpoint from integration shown
     where i.organization_id = $1 and i.key = $2 and shown.organization_id = $1 and shown.id = $3`,
    [organizationId, ids.get('integrations/{integrationKey}'), ids.get('integrations/{integrationId}')],
  );
}

/** What an operation needs of its entity beyond being there, where its example is to succeed. */
const PREPARATIONS: Readonly<Record<string, (app: TestApp, estate: Estate) => Promise<unknown>>> = {
  'POST /organizations/{organizationId}/tasks/{taskRef}/retry': (app, { ids }) =>
    app.db.query(`update task set status = 'failed' where id = $1`, [ids.get('tasks/{taskRef}')]),
  'PATCH /internal/agent/organizations/{organizationId}/schedules/{scheduleRef}': (app, { ids }) =>
    app.db.query(`update schedule set updated_at = $2 where id = $1`, [
      ids.get('schedules/{scheduleRef}'),
      // What the example expects.
      '2026-03-01T09:30:00.000000Z',
    ]),
  'POST /organizations/{organizationId}/chats/{chatId}/messages': (app, estate) => endTurns(app, estate),
  'POST /organizations/{organizationId}/chats/{chatId}/messages/{messageId}/cancel': async (app, estate) => {
    await endTurns(app, estate);
    await app.db.query(`update message set status = 'pending' where id = $1`, [estate.ids.get('messages/{messageId}')]);
  },
  'POST /organizations/{organizationId}/actions/{id}/approve': undecide,
  'POST /organizations/{organizationId}/actions/{id}/reject': undecide,
  'POST /internal/agent/organizations/{organizationId}/actions/{id}/approve': undecide,
  'POST /internal/agent/organizations/{organizationId}/actions/{id}/reject': undecide,
  'POST /organizations/{organizationId}/actions/{id}/reconcile': loseSight,
  'POST /internal/agent/organizations/{organizationId}/actions/{id}/reconcile': loseSight,
  ...Object.fromEntries(
    ['/organizations/{organizationId}/human-inbox', '/internal/agent/organizations/{organizationId}/inbox'].flatMap(
      (inbox) => [
        [`POST ${inbox}/{inboxItemId}/respond`, reopened(inbox, { kind: 'question', purpose: 'task' })],
        [`POST ${inbox}/{inboxItemId}/acknowledge`, reopened(inbox, { kind: 'notification', purpose: null })],
      ],
    ),
  ),
  'POST /internal/agent/organizations/{organizationId}/knowledge': storeEvidence,
  // Another call took the slug of the example.
  'POST /organization-onboardings': (app) => app.db.query(`delete from organization_slug where slug = 'acme-tools'`),
  'POST /organizations/{organizationId}/onboarding/start': redraft,
  'POST /organizations/{organizationId}/onboarding/complete': completeReviewed,
  'PUT /organizations/{organizationId}/onboarding/sources/{sourceId}': redraft,
  'DELETE /organizations/{organizationId}/onboarding/sources/{sourceId}': redraft,
  'DELETE /organizations/{organizationId}/onboarding': redraft,
  // It went with its onboarding.
  'DELETE /organizations/{organizationId}': (app, { organizationId }) =>
    changeRow(app, 'organization', organizationId, { status: 'active' }),
  'POST /internal/agent/organizations/{organizationId}/integrations/resolve': standAsShown,
  'PATCH /internal/agent/organizations/{organizationId}/integrations/{integrationKey}/context': async (app, estate) => {
    await standAsShown(app, estate);
    const key = estate.ids.get('integrations/{integrationKey}');
    await app.db.query('update integration set context_revision = 1 where key = $1', [key]);
  },
  'PUT /organizations/{organizationId}/integrations/preferences/{purpose}': (app, { organizationId }) =>
    preferRows(app, organizationId, { order_management: ['mcp-orders', 'mcp-orders-2'] }),
  'POST /internal/agent/organizations/{organizationId}/integrations/{integrationKey}/capability': standAsShown,
  'GET /internal/gateway/integrations/{integrationId}/tools': standAsShown,
  'POST /internal/gateway/integrations/{integrationId}/tools/{toolName}/call': standAsShown,
  'POST /internal/gateway/integrations/{integrationId}/mcp': standAsShown,
  // The example creates.
  'PUT /internal/agent/organizations/{organizationId}/durability/{namespace}/{key}': (app, { ids }) =>
    app.db.query(`delete from durability_row where key = $1`, [ids.get('{namespace}/{key}')]),
};

/** Ends the turns of the chat that calls are about. */
function endTurns(app: TestApp, { ids }: Estate): Promise<unknown> {
  return app.db.query(`update message set status = 'failed' where chat_id = $1 and role = 'assistant'`, [
    ids.get('chats/{chatId}'),
  ]);
}

/** Lets the sources of the onboarding be changed. */
function redraft(app: TestApp, { organizationId }: Estate): Promise<unknown> {
  return app.db.query(`update onboarding set state = 'draft' where organization_id = $1`, [organizationId]);
}

/** Lets the onboarding be completed with the review that the example names. */
function completeReviewed(app: TestApp, { organizationId }: Estate): Promise<unknown> {
  const facts = { name: 'Acme', slug: 'acme', timezone: 'UTC', departments: [], website: null, defaultCurrency: null };
  const sha256 = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
  const lists = { sources: [], warnings: [], summary: '0 of 0 sources can be read.' };
  const review = { version: 1, extractorVersion: '1', organizationId, facts, ...lists, sha256 };
  return app.db.query(`update onboarding set state = 'completed', review = $2 where organization_id = $1`, [
    organizationId,
    JSON.stringify(review),
  ]);
}

/** Lets the item of a path be open, of a kind, and older than the message that the turn answers. */
function reopened(inbox: string, row: Columns) {
  const key = `${inbox.split('/').at(-1)!}/{inboxItemId}`;
  const open = { status: 'open', response: null, closure: null, updated_at: '2020-01-01T00:00:00Z' };
  return (app: TestApp, { ids }: Estate) => changeRow(app, 'inbox_item', ids.get(key)!, { ...row, ...open });
}

/** Lets there be the bytes that the example names as evidence. */
async function storeEvidence(app: TestApp, { organizationId }: Estate): Promise<void> {
  const id = '0199c9a4-5b1e-7c3a-9f42-1c8f6f0f2a11';
  const run = await app.db.query('select from run where organization_id = $1 and id = $2', [organizationId, id]);
  if (run.rows.length > 0) return;
  await runRow(app, organizationId, await profileOf(app, organizationId), { run: { id } });
  await app.db.query(`insert into run_artifact (organization_id, run_id, sha256, size_bytes) values ($1, $2, $3, 5)`, [
    organizationId,
    id,
    '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  ]);
}

function undecide(app: TestApp, { ids }: Estate): Promise<unknown> {
  return app.db.query(
    `update action set status = 'awaiting_approval', decision = null, revision = 1, finished_at = null where id = $1`,
    [ids.get('actions/{id}')],
  );
}

/** As an action is that was sent and of which nobody knows what became. */
function loseSight(app: TestApp, { ids }: Estate): Promise<unknown> {
  return app.db.query(
    `update action set status = 'reconciliation_required', sent_at = now(), finished_at = null, reconciliation = null
     where id = $1`,
    [ids.get('actions/{id}')],
  );
}

/** Calls an operation as its example shows it, with all that it needs to succeed. */
export async function callAsShown(app: TestApp, estate: Estate, operation: Operation): Promise<Answer> {
  await PREPARATIONS[operation.name]?.(app, estate);
  const { ids = {}, body, end } = (await LEASED_CALLS[operation.name]?.(app, estate.organizationId)) ?? {};
  const example = operation.body?.example as object | undefined;
  try {
    return await operation.send(
      estate.callerOf(operation),
      estate.pathOf(operation, ids),
      ...(body ? [{ ...example, ...body }] : []),
    );
  } finally {
    end?.();
  }
}
