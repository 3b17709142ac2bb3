import { defineEntity, p } from '@mikro-orm/core';
import { timestamp } from '../../../kernel/database/index.ts';
import type { Scope } from '../../../kernel/principals/index.ts';
import { BOOTSTRAP, policies, SUBJECT } from '../../../kernel/tenancy/index.ts';

/** A personal token of an owner. Global: it belongs to a person, not to an organization. Only its SHA-256 is kept. */
const schema = defineEntity({
  name: 'OwnerToken',
  tableName: 'owner_token',
  properties: {
    id: p.uuid().primary(),
    subject: p.text(),
    name: p.text(),
    /** The first characters, by which a person tells their tokens apart. */
    prefix: p.text(),
    tokenHash: p.blob().unique(),
    createdAt: timestamp().defaultRaw('clock_timestamp()'),
    expiresAt: timestamp().nullable(),
    lastUsedAt: timestamp().nullable(),
    scopes: p.array().columnType('text[]').$type<Scope[]>().defaultRaw(`'{read,work,decide,settings}'`),
    /** The organizations to which it is limited; not a reference, since they may be deleted. Null is all of its subject's. */
    organizationIds: p.array().columnType('uuid[]').$type<string[]>().nullable(),
  },
  indexes: [{ name: 'owner_token_by_subject', properties: ['subject', 'id'] }],
  checks: [
    {
      name: 'owner_token_limits_check',
      expression: 'cardinality(scopes) > 0 and (organization_ids is null or cardinality(organization_ids) > 0)',
    },
  ],
  policies: policies({ app: `subject = ${SUBJECT} or ${SUBJECT} = '${BOOTSTRAP}'` }),
  rowLevelSecurity: 'force',
});

export class OwnerToken extends schema.class {}
schema.setClass(OwnerToken);
