import { defineEntity, p } from '@mikro-orm/core';
import { timestamp } from '../../../kernel/database/index.ts';
import { MEMBER_ROLES } from '../../../kernel/principals/index.ts';
import { ENTERED, policies, SUBJECT } from '../../../kernel/tenancy/index.ts';

/** Who belongs to which organization. Part of the global directory: it is read by subject as well as by organization. */
const schema = defineEntity({
  name: 'Membership',
  tableName: 'membership',
  properties: {
    organizationId: p.uuid().primary(),
    subject: p.text().primary(),
    role: p.enum(MEMBER_ROLES).columnType('text'),
    addedBy: p.text(),
    createdAt: timestamp().defaultRaw('clock_timestamp()'),
  },
  indexes: [{ name: 'membership_by_subject', properties: ['subject', 'organizationId'] }],
  policies: policies({ app: `organization_id = ${ENTERED}`, appReads: `subject = ${SUBJECT}` }),
  rowLevelSecurity: 'force',
});

export class Membership extends schema.class {}
schema.setClass(Membership);
