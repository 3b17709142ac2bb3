import { defineEntity, p } from '@mikro-orm/core';
import { timestamp } from '../../../kernel/database/index.ts';
import { tenantPolicies } from '../../../kernel/tenancy/index.ts';
import { organizationOwned } from '../../organizations/index.ts';
import { Chat } from '../chat.entity.ts';

/**
 * Bytes on their way to a chat. Noted before the first of them is stored, and gone in the transaction that makes them an
 * attachment; so whatever stands here for longer than an upload lasts names bytes that nobody needs. Few at a time.
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
    /** Set by whoever removes the bytes: from then on they become no attachment. */
    abandoned: p.boolean().default(false),
    begunAt: timestamp().defaultRaw('clock_timestamp()'),
  },
  policies: tenantPolicies({ dispatch: true }),
  rowLevelSecurity: 'force',
});

export class AttachmentUpload extends schema.class {}
schema.setClass(AttachmentUpload);
