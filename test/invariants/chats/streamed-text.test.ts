import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { MessageDto } from '../../../src/modules/chats/messages/message.dto.ts';
import { messageById } from '../../../src/modules/chats/messages/messages.queries.ts';
import { chunkRow, firstChat, messageRow } from '../../support/factories/chats.ts';
import { organizationOf } from '../../support/client.ts';
import { inOrganization } from '../../support/factories/tasks.ts';
import { TestApp } from '../../support/test-app.ts';

let app: TestApp;
let organizationId: string;
let chatId: string;

beforeAll(async () => {
  app = await TestApp.start();
  organizationId = await organizationOf(await app.person());
  chatId = await firstChat(app, organizationId);
});
afterAll(() => app.close());

describe('a message that streams', () => {
  it('is shown with the text of its draft, part by part as they were begun', async () => {
    const id = await messageRow(app, organizationId, chatId, { role: 'assistant', status: 'streaming', draft: 2 });
    const append = (row: object) => chunkRow(app, organizationId, id, { draft: 2, ...row });
    await append({ draft: 1, part_id: 'b', part_offset: 0, revision: 2, text: 'thrown away' });
    await append({ part_id: 'b', part_offset: 0, revision: 4, text: 'Hel' });
    await append({ part_id: 'a', part_offset: 0, revision: 5, text: 'And' });
    await append({ part_id: 'b', part_offset: 3, revision: 6, text: 'lo' });
    expect((await shown(id))?.parts).toEqual([
      { id: 'b', kind: 'text', text: 'Hello' },
      { id: 'a', kind: 'text', text: 'And' },
    ]);
    const parts = [{ id: 'b', kind: 'text', text: 'Folded' }];
    await app.db.query(`update message set status = 'complete', parts = $3 where organization_id = $1 and id = $2`, [
      organizationId,
      id,
      JSON.stringify(parts),
    ]);
    expect((await shown(id))?.parts).toEqual(parts);
  });

  it('is the only one of its chat', async () => {
    const answer = { role: 'assistant', status: 'pending' };
    await messageRow(app, organizationId, chatId, answer);
    await expect(messageRow(app, organizationId, chatId, answer)).rejects.toMatchObject({
      constraint: 'message_active',
    });
  });
});

function shown(id: string): Promise<MessageDto | undefined> {
  return inOrganization(app, organizationId, async (tx) => (await tx.rows(messageById(organizationId, id)))[0]);
}
