import { defineEntity, p } from '@mikro-orm/core';
import { timestamp } from '../database/index.ts';
import { policies } from '../tenancy/index.ts';

/**
 * When leases of a kind could last be renewed, one row per kind. Belongs to no organization, because an outage affects
 * the whole service, and the same row decides what it does to the leases of all organizations.
 */
const schema = defineEntity({
  name: 'LeaseWatch',
  tableName: 'lease_watch',
  properties: {
    kind: p.text().primary(),
    /** How long a lease of the kind lasts; half of that without a note is an outage. */
    leaseSeconds: p.integer(),
    /** The newest note of any process that takes heartbeats, and the note before it. */
    notedAt: timestamp().defaultRaw('clock_timestamp()'),
    previousAt: timestamp().defaultRaw('clock_timestamp()'),
  },
  policies: policies({ appReads: 'true', dispatch: true }),
  rowLevelSecurity: 'force',
});

export class LeaseWatch extends schema.class {}
schema.setClass(LeaseWatch);
