import { defineEntity, p } from '@mikro-orm/core';
import { timestamp } from '../database/index.ts';
import { policies } from '../tenancy/index.ts';

/**
 * Which workers claim work, for operators; nothing that hands out work reads it. Belongs to no organization, because one
 * worker serves many.
 */
const schema = defineEntity({
  name: 'Worker',
  tableName: 'worker',
  properties: {
    workerId: p.text().primary(),
    /** Of its latest claim, as the row has it: it may be a minute old. */
    bootId: p.uuid(),
    lastSeenAt: timestamp().defaultRaw('clock_timestamp()'),
    /** What its latest claim of each kind asked for; null where it made none. */
    runFilters: p.json<object>().nullable(),
    turnFilters: p.json<object>().nullable(),
  },
  policies: policies({ dispatch: true }),
  rowLevelSecurity: 'force',
});

export class Worker extends schema.class {}
schema.setClass(Worker);
