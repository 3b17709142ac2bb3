import { defineEntity, p } from '@mikro-orm/core';
import { tenantPolicies } from '../../../kernel/tenancy/index.ts';
import { uploadNote } from '../../../kernel/uploads/index.ts';
import { organizationOwned } from '../../organizations/index.ts';
import { Chat } from '../chat.entity.ts';

/**
 * Bytes on their way to a chat: written before the first of them is stored, deleted in the transaction that makes them
 * an attachment. So a row older than any upload lasts names bytes that no attachment needs. Few rows at a time.
 */
const schema = defineEntity({
  name: 'AttachmentUpload',
  tableName: 'attachment_upload',
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
    ...uploadNote,
  },
  policies: tenantPolicies({ dispatch: true }),
  rowLevelSecurity: 'force',
});

export class AttachmentUpload extends schema.class {}
schema.setClass(AttachmentUpload);
