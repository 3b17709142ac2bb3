import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll } from '@jest/globals';
import { sql, type Statement } from '../../../src/kernel/database/index.ts';
import { newId } from '../../../src/kernel/ids/index.ts';
import { newReference } from '../../../src/modules/actions/action-reference.ts';
import {
  ActionExecutors,
  type ActionExecutor,
  type ActionStanding,
  type ActionTarget,
  type ActionToSend,
  type DescribedAction,
  type Sent,
} from '../../../src/modules/actions/index.ts';
import type { Answer, Client } from '../client.ts';
import type { TestApp } from '../test-app.ts';
import { createChat, postMessage } from './chats.ts';
import type { Workplace } from './engine-rows.ts';
import { profileOf } from './profiles.ts';
import { type Columns, insertRow } from './rows.ts';
import { claimTurn } from './turns.ts';

/** What the connector of the tests says of each of its tools; a test changes it as a connector's owner would. */
export const STANDING = {
  risk: 'external',
  approvalReasons: [],
  facts: { tool: '1' },
  unusable: null,
} as const satisfies ActionStanding;

/**
 * A connector `probe`, whose one tool `post` sends the arguments to a receiver of the tests over HTTP. Serves as the executor
 * of a provider would; what it is bound to stands in this object instead of in a table.
 */
export class Probe implements ActionExecutor {
  readonly kind = 'tool_call';
  readonly connectorKey = 'probe';
  standsAs: ActionStanding | undefined = STANDING;
  readonly received: { readonly id: string; readonly body: unknown }[] = [];
  private server: Server | undefined;

  async listen(): Promise<void> {
    const receive = async (incoming: IncomingMessage, answer: ServerResponse) => {
      this.received.push({ id: String(incoming.headers['x-action']), body: await bodyOf(incoming) });
      answer.end('{}');
    };
    const server = createServer((incoming, answer) => void receive(incoming, answer));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    this.server = server;
  }

  async close(): Promise<void> {
    this.server?.closeAllConnections();
    await new Promise<void>((resolve) => (this.server ? this.server.close(() => resolve()) : resolve()));
  }

  describe(_tx: unknown, target: ActionTarget): Promise<DescribedAction> {
    const preview = JSON.stringify(target.arguments, null, 2);
    return Promise.resolve({ ...(this.standsAs ?? STANDING), integrationId: null, preview });
  }

  standing(_target: ActionTarget): Statement<ActionStanding> {
    const { risk, approvalReasons, facts, unusable } = this.standsAs ?? STANDING;
    return sql`
      select ${risk}::text as risk, ${JSON.stringify(approvalReasons)}::jsonb as "approvalReasons",
        ${JSON.stringify(facts)}::jsonb as facts, ${unusable}::text as unusable
      where ${this.standsAs !== undefined}::boolean`;
  }

  async send({ id, argumentsText }: ActionToSend): Promise<Sent> {
    const { port } = this.server!.address() as AddressInfo;
    await new Promise<void>((resolve, reject) => {
      const outgoing = request({ port, host: '127.0.0.1', method: 'POST', headers: { 'x-action': id } }, (answer) => {
        answer.resume().on('end', resolve);
      });
      outgoing.on('error', reject).end(argumentsText);
    });
    return { outcome: 'succeeded', result: null };
  }
}

async function bodyOf(incoming: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const chunk of incoming) text += String(chunk);
  return JSON.parse(text);
}

/** The connector of the tests, at an application that is there before these tests. */
export function useProbe(app: TestApp): Probe {
  const probe = new Probe();
  beforeAll(async () => {
    await probe.listen();
    app.app.get(ActionExecutors).register(probe);
  });
  afterAll(() => probe.close());
  return probe;
}

/** Lets an application serve the connector of the tests, if it does not yet. */
export function serveProbe(app: TestApp): void {
  const [executors, probe] = [app.app.get(ActionExecutors), new Probe()];
  if (executors.of(probe)?.connectorKey !== probe.connectorKey) executors.register(probe);
}

/** What an execution proposes, with arguments that no other test has. */
export function proposal(change: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    connectorKey: 'probe',
    toolName: 'post',
    arguments: { to: 'everybody', nth: (nth += 1) },
    title: 'Publish the note',
    summary: 'Posts the note to the site.',
    ...change,
  };
}
let nth = 0;

export function propose(
  agent: Client,
  place: Pick<Workplace, 'agentPath'>,
  change: Readonly<Record<string, unknown>> = {},
): Promise<Answer> {
  return agent.post(place.agentPath('/actions'), proposal(change));
}

export interface ProposedAction {
  readonly id: string;
  readonly reference: string;
  readonly argumentsDigest: string;
  readonly revision: number;
  readonly inboxItemId: string | null;
  readonly taskId: string | null;
  readonly status: string;
}

/** A new action of a new task, as its run proposes it: it awaits approval unless the change says otherwise. */
export async function proposedAction(
  place: Workplace,
  change: Readonly<Record<string, unknown>> = {},
): Promise<ProposedAction> {
  const { agent } = await place.run();
  const { status, text, body } = await propose(agent, place, change);
  if (status !== 201) throw new Error(`No action: ${text}`);
  return body.data as ProposedAction;
}

/** As examples of the document have digests. */
const EXAMPLE_DIGEST = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';

/** An action straight in the table, of a task that nobody works on; it awaits approval unless the row says otherwise. */
export async function actionRow(app: TestApp, organizationId: string, row: Columns = {}): Promise<string> {
  const id = newId();
  return insertRow(app, 'action', {
    organization_id: organizationId,
    id,
    reference: newReference(),
    kind: 'tool_call',
    title: 'Publish the note',
    summary: 'Posts the note to the site.',
    connector_key: 'probe',
    tool_name: 'post',
    arguments: '{}',
    arguments_digest: EXAMPLE_DIGEST,
    preview: '{}',
    task_id: row.chat_id === undefined ? newId() : null,
    agent_profile_id: await profileOf(app, organizationId, 'growth'),
    risk: STANDING.risk,
    policy: { approvalRequired: true, reasons: ['risk'], catalogRisk: STANDING.risk, callerRisk: null },
    approval_required: true,
    status: 'awaiting_approval',
    revision: 1,
    authorization_epoch: 1,
    facts: STANDING.facts,
    dedupe_key: id,
    expires_at: '2999-01-01T00:00:00Z',
    awaits_since: '2000-01-01T00:00:00Z',
    lapses: 0,
    settle_attempts: 0,
    ...row,
  });
}

export interface ChatTurn {
  readonly agent: Client;
  readonly chatId: string;
  readonly messageId: string;
  readonly turnId: string;
}

/** The chat agent in the turn that answers a person's new message, in a chat of its own unless said. */
export async function answeringTurn(
  app: TestApp,
  { owner, organizationId }: { readonly owner: Client; readonly organizationId: string },
  texts: readonly string[],
  given?: string,
): Promise<ChatTurn> {
  const chatId = given ?? (await createChat(owner, organizationId));
  const { status, text, body } = await postMessage(owner, organizationId, chatId, ...texts);
  if (status !== 202) throw new Error(`No message: ${text}`);
  const { executionToken, turnId } = await claimTurn(app, organizationId);
  return { agent: app.client(executionToken), chatId, messageId: body.data.userMessage.id, turnId };
}

/** The verbs that the activity log has of an action, the oldest first. */
export async function verbsOf(app: TestApp, actionId: string): Promise<string[]> {
  const { rows } = await app.db.query<{ verb: string }>(
    `select verb from activity where subject_kind = 'action' and subject_id = $1 order by id`,
    [actionId],
  );
  return rows.map(({ verb }) => verb);
}

/** The status of an action's items about its approval. */
export async function itemsOf(app: TestApp, actionId: string): Promise<{ kind: string; status: string }[]> {
  const { rows } = await app.db.query<{ kind: string; status: string }>(
    'select kind, status from inbox_item where action_id = $1 order by id',
    [actionId],
  );
  return rows;
}
