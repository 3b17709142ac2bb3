import { BackendItemsService } from '../../../src/modules/inbox/index.ts';
import { newId } from '../../../src/kernel/ids/index.ts';
import type { TestApp } from '../test-app.ts';
import type { Client } from '../client.ts';
import { taskRow } from './engine-rows.ts';
import { profileOf } from './profiles.ts';
import { type Columns, insertRow } from './rows.ts';
import { inOrganization } from './tasks.ts';

type BackendItem = Parameters<BackendItemsService['open']>[1];
type BackendItemRef = Parameters<BackendItemsService['close']>[1];
type BackendClosing = Parameters<BackendItemsService['close']>[2];

/** The least that the backend says. */
const NOTICE: BackendItem = {
  kind: 'notification',
  severity: 'attention',
  title: 'Something to know',
  body: 'It happened.',
  taskId: null,
  runId: null,
  chatId: null,
  actionId: null,
  expiresAt: null,
};

/** Opens an item as other modules do, a notification unless said; answers its id. */
export function openNotice(app: TestApp, organizationId: string, item: Partial<BackendItem> = {}): Promise<string> {
  return inOrganization(app, organizationId, (tx) => app.app.get(BackendItemsService).open(tx, { ...NOTICE, ...item }));
}

/** Closes items as other modules do; they are withdrawn by the backend unless said. */
export function closeNotice(
  app: TestApp,
  organizationId: string,
  ref: BackendItemRef,
  closing: Partial<BackendClosing> = {},
): Promise<void> {
  return inOrganization(app, organizationId, (tx) =>
    app.app.get(BackendItemsService).close(tx, ref, { status: 'withdrawn', by: null, reason: null, ...closing }),
  );
}

/** An item straight in the table: an open question of a task unless said, closed where its status says so. */
export function itemRow(app: TestApp, organizationId: string, row: Columns = {}): Promise<string> {
  const { kind = 'question', status = 'open' } = row;
  const at = new Date().toISOString();
  const text = { text: 'yes', optionId: null, respondedBy: { kind: 'owner', id: 'token:1', name: 'Ada' } };
  return insertRow(app, 'inbox_item', {
    organization_id: organizationId,
    id: newId(),
    kind,
    purpose: kind === 'question' ? 'task' : null,
    status,
    severity: kind === 'notification' ? 'info' : 'action_required',
    title: 'May I?',
    body: 'I would like to go on.',
    presentation: { allowFreeText: true },
    opened_by: 'agent',
    opened_by_profile_key: 'growth',
    occurrences: 1,
    response: status === 'answered' ? { ...text, respondedAt: at, channel: 'owner', messageId: null } : null,
    closure: status === 'open' ? null : { at, by: null, reason: null },
    created_at: at,
    updated_at: at,
    ...row,
  });
}

/** The least that an agent says. */
export const QUESTION = { kind: 'question', title: 'Which price?', body: 'The old one ends on Friday.' } as const;

/** Opens an item through a run or turn; answers its id. */
export async function openByAgent(agent: Client, organizationId: string, body: Columns = {}): Promise<string> {
  const path = `/internal/agent/organizations/${organizationId}/inbox`;
  const answer = await agent.post(path, { ...QUESTION, ...body });
  if (answer.status !== 201) throw new Error(`No item: ${answer.text}`);
  return answer.body.data.id as string;
}

export interface BlockedTask {
  readonly taskId: string;
  readonly itemId: string;
}

/** A task that waits for the answer to a question, as a handoff leaves them. */
export async function blockedTask(app: TestApp, organizationId: string, item: Columns = {}): Promise<BlockedTask> {
  const profileId = await profileOf(app, organizationId, 'growth');
  const itemId = newId();
  const since = new Date().toISOString();
  const kind = item.opened_by === 'system' ? 'operator' : 'handoff';
  const taskId = await taskRow(app, organizationId, profileId, {
    status: 'blocked',
    blockers: [{ kind, inboxItemId: itemId, since }],
    refund_streak: 0,
    execute_failures: 2,
  });
  await itemRow(app, organizationId, { id: itemId, task_id: taskId, ...item });
  return { taskId, itemId };
}
