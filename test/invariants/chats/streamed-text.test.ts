import { beforeAll, describe, expect, it } from '@jest/globals';
import type { MessageDto } from '../../../src/modules/chats/messages/message.dto.ts';
import { messageById } from '../../../src/modules/chats/messages/messages.queries.ts';
import { chunkRow, firstChat, messageRow } from '../../support/factories/chats.ts';
import { inOrganization } from '../../support/factories/tasks.ts';
import { useOrganization } from '../../support/use-test-app.ts';

const { app, organization } = useOrganization();
let chatId: string;

beforeAll(async () => {
  chatId = await firstChat(app, organization.id);
});

describe('a message that streams', () => {
  it('is shown with the text of its draft, part by part as they were begun', async () => {
    const id = await messageRow(app, organization.id, chatId, { role: 'assistant', status: 'streaming', draft: 2 });
    const append = (row: object) => chunkRow(app, organization.id, id, { draft: 2, ...row });
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
      organization.id,
      id,
      JSON.stringify(parts),
    ]);
    expect((await shown(id))?.parts).toEqual(parts);
  });

  it('is the only one of its chat', async () => {
    const answer = { role: 'assistant', status: 'pending' };
    await messageRow(app, organization.id, chatId, answer);
    await expect(messageRow(app, organization.id, chatId, answer)).rejects.toMatchObject({
      constraint: 'message_active',
    });
  });
});

function shown(id: string): Promise<MessageDto | undefined> {
  return inOrganization(app, organization.id, async (tx) => (await tx.rows(messageById(organization.id, id)))[0]);
}
