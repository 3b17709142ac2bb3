import type { TestApp } from './test-app.ts';
import { newId } from '../../src/kernel/ids/index.ts';

type Columns = Readonly<Record<string, unknown>>;

/** The chat that an organization is created with. */
export async function firstChat(app: TestApp, organizationId: string): Promise<string> {
  const { rows } = await app.db.query<{ id: string }>(
    'select id from chat where organization_id = $1 order by id limit 1',
    [organizationId],
  );
  return rows[0]!.id;
}

/** A message straight in the table; complete and a user's unless said otherwise. */
export async function messageRow(app: TestApp, organizationId: string, chatId: string, row: Columns = {}) {
  const id = newId();
  await insert(app, 'message', {
    organization_id: organizationId,
    chat_id: chatId,
    id,
    role: 'user',
    status: 'complete',
    ...row,
  });
  return id;
}

/** One append to a message that streams. */
export async function chunkRow(app: TestApp, organizationId: string, messageId: string, row: Columns): Promise<void> {
  await insert(app, 'message_chunk', { organization_id: organizationId, message_id: messageId, draft: 1, ...row });
}

async function insert(app: TestApp, table: string, row: Columns): Promise<void> {
  const columns = Object.keys(row).join(', ');
  await app.db.query(
    `insert into ${table} (${columns}) select ${columns} from jsonb_populate_record(null::${table}, $1)`,
    [JSON.stringify(row)],
  );
}
