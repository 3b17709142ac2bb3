import { defineEntity, p } from '@mikro-orm/core';
import { tenantPolicies } from '../../../kernel/tenancy/index.ts';
import { Message } from './message.entity.ts';

/**
 * One append to an answer that streams. The key finds the end of a part and a repeated append; the index finds appends
 * after a revision. References its message alone: a reference to the organization would have all appends lock that row.
 */
const schema = defineEntity({
  name: 'MessageChunk',
  tableName: 'message_chunk',
  properties: {
    message: () =>
      p
        .manyToOne(Message)
        .primary()
        .joinColumns('organization_id', 'message_id')
        .referencedColumnNames('organization_id', 'id')
        .updateRule('no action')
        .deleteRule('no action'),
    organizationId: p.uuid().persist(false),
    messageId: p.uuid().persist(false),
    draft: p.integer().primary(),
    partId: p.text().collation('C').primary(),
    /** Code points of the part before this chunk. */
    partOffset: p.integer().primary(),
    /** The message's revision that this append made. */
    revision: p.integer(),
    text: p.text(),
  },
  indexes: [
    {
      name: 'message_chunk_by_revision',
      expression:
        'create unique index message_chunk_by_revision on message_chunk (organization_id, message_id, revision)',
    },
  ],
  policies: tenantPolicies({ dispatch: true }),
  rowLevelSecurity: 'force',
});

export class MessageChunk extends schema.class {}
schema.setClass(MessageChunk);
