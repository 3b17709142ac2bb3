import { defineEntity, p } from '@mikro-orm/core';
import { timestamp } from '../../../kernel/database/index.ts';
import { tenantPolicies } from '../../../kernel/tenancy/index.ts';
import { Chat } from '../chat.entity.ts';

/** A file that an owner put into a chat, under an id of the client's own; never changed. */
const schema = defineEntity({
  name: 'Attachment',
  tableName: 'attachment',
  properties: {
    chat: () =>
      p
        .manyToOne(Chat)
        .primary()
        .joinColumns('organization_id', 'chat_id')
        .referencedColumnNames('organization_id', 'id')
        .updateRule('no action')
        .deleteRule('no action'),
    organizationId: p.uuid().persist(false),
    chatId: p.uuid().persist(false),
    id: p.uuid().primary(),
    version: p.integer().default(1),
    fileName: p.text(),
    mediaType: p.text(),
    sizeBytes: p.bigint('number').columnType('bigint'),
    /** 64 hexadecimal characters. */
    sha256: p.text(),
    /**
     * Key of the bytes in the object store: of this upload alone, so that another one under the same id cannot replace
     * them.
     */
    objectKey: p.text(),
    createdAt: timestamp().defaultRaw('clock_timestamp()'),
  },
  policies: tenantPolicies(),
  rowLevelSecurity: 'force',
});

export class Attachment extends schema.class {}
schema.setClass(Attachment);

/** The folder of a chat's attachments in the object store. */
export function attachmentFolder(organizationId: string, chatId: string): string {
  return `organizations/${organizationId}/chats/${chatId}`;
}
