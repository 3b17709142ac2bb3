import { defineEntity, p } from '@mikro-orm/core';
import { policies } from '../../../kernel/tenancy/index.ts';

/**
 * The database cluster in which the activity log is written, one row. Numbers of transactions mean something within one
 * cluster; `number` rises when the log was brought into another one, and stands in front of those numbers from then on.
 */
const schema = defineEntity({
  name: 'ActivityCluster',
  tableName: 'activity_cluster',
  properties: {
    systemIdentifier: p.text().primary(),
    number: p.integer(),
  },
  policies: policies({ appReads: 'true', dispatch: true }),
  rowLevelSecurity: 'force',
});

export class ActivityCluster extends schema.class {}
schema.setClass(ActivityCluster);
