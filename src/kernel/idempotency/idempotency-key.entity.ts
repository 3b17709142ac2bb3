import { defineEntity, p } from '@mikro-orm/core';
import { timestamp } from '../database/index.ts';
import { policies, SUBJECT } from '../tenancy/index.ts';

/**
 * One used key and its answer. Belongs to no organization, because the key of `POST /organizations` is known before
 * there is one, and must outlive one that is deleted.
 */
const schema = defineEntity({
  name: 'IdempotencyKey',
  tableName: 'idempotency_key',
  properties: {
    subject: p.text().primary(),
    key: p.uuid().primary(),
    /** SHA-256 of operation and normalised details, hexadecimal. */
    digest: p.text(),
    /** The answer's `data` without secrets; null until the work is done, and again after its organization is purged. */
    answer: p.json<unknown>().nullable(),
    organizationId: p.uuid().nullable(),
    createdAt: timestamp().defaultRaw('clock_timestamp()'),
    expiresAt: timestamp(),
  },
  indexes: [{ properties: ['expiresAt'] }, { properties: ['organizationId'] }],
  policies: policies({ app: `subject = ${SUBJECT}`, dispatch: true }),
  rowLevelSecurity: 'force',
});

export class IdempotencyKey extends schema.class {}
schema.setClass(IdempotencyKey);
