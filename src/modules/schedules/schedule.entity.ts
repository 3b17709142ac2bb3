import { defineEntity, p } from '@mikro-orm/core';
import { timestamp, timestamps } from '../../kernel/database/index.ts';
import { tenantPolicies } from '../../kernel/tenancy/index.ts';
import { organizationOwned } from '../organizations/index.ts';
import { SCHEDULE_ORIGINS, SCHEDULE_STATUSES } from './schedule.state.ts';
import type { TaskTemplate } from './task-template.ts';
import type { Trigger } from './schedule-trigger.ts';

/** Why the last slot made no task. */
export interface ScheduleError {
  readonly code: string;
  readonly message: string;
  readonly at: string;
}

const schema = defineEntity({
  name: 'Schedule',
  tableName: 'schedule',
  properties: {
    ...organizationOwned,
    // A value: profiles are deleted, their schedules then pause.
    agentProfileId: p.uuid(),
    key: p.text().collation('C'),
    name: p.text(),
    status: p.enum(SCHEDULE_STATUSES).columnType('text').default('enabled'),
    origin: p.enum(SCHEDULE_ORIGINS).columnType('text'),
    createdByAgentProfileId: p.uuid().nullable(),
    sourceRunId: p.uuid().nullable(),
    sourceChatId: p.uuid().nullable(),
    sourceMessageId: p.uuid().nullable(),
    trigger: p.json<Trigger>(),
    taskTemplate: p.json<TaskTemplate>(),
    /** Of what it was made from: a repeat of its key is compared with this, whatever was edited since. */
    creationDigest: p.text(),
    /** Kept over a pause: the phase of an interval. */
    nextRunAt: timestamp().nullable(),
    lastRunAt: timestamp().nullable(),
    lastError: p.json<ScheduleError>().nullable(),
    lastTaskId: p.uuid().nullable(),
    missedCount: p.integer().default(0),
    overlapSkipped: p.integer().default(0),
    /** Hidden from then on, and its key free again; its occurrences still name it. */
    deletedAt: timestamp().nullable(),
    ...timestamps,
  },
  uniques: [{ name: 'schedule_key', properties: ['organization', 'key'], where: 'deleted_at is null' }],
  indexes: [
    // What the finder walks from its head, in this very order.
    {
      name: 'schedule_due',
      expression: `create index schedule_due on schedule (next_run_at, organization_id, id) where status = 'enabled' and next_run_at is not null`,
    },
    {
      name: 'schedule_by_status',
      expression:
        'create index schedule_by_status on schedule (organization_id, status, created_at, id) where deleted_at is null',
    },
    { name: 'schedule_by_profile', properties: ['organization', 'agentProfileId', 'id'] },
  ],
  policies: tenantPolicies({ dispatch: true }),
  rowLevelSecurity: 'force',
});

export class Schedule extends schema.class {}
schema.setClass(Schedule);
