import { defineEntity, p } from '@mikro-orm/core';
import { timestamp } from '../database/index.ts';
import { policies } from '../tenancy/index.ts';

/**
 * When leases of a kind could last be renewed, one row a kind. Global: an outage is the whole service's, and what it does to
 * the leases of all organizations is decided by the same row.
 */
const schema = defineEntity({
  name: 'LeaseWatch',
  tableName: 'lease_watch',
  properties: {
    kind: p.text().primary(),
    /** How long a lease of the kind lasts; half of it without a note is an outage. */
    leaseSeconds: p.integer(),
    /** The newest note of any process that takes heartbeats, and the one before it. */
    notedAt: timestamp().defaultRaw('clock_timestamp()'),
    previousAt: timestamp().defaultRaw('clock_timestamp()'),
  },
  policies: policies({ appReads: 'true', dispatch: true }),
  rowLevelSecurity: 'force',
});

export class LeaseWatch extends schema.class {}
schema.setClass(LeaseWatch);
