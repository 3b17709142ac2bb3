import { defineEntity, p } from '@mikro-orm/core';
import { timestamp } from '../../../kernel/database/index.ts';
import { tenantPolicies } from '../../../kernel/tenancy/index.ts';
import { organizationOwned } from '../../organizations/index.ts';
import { OCCURRENCE_ORIGINS, OCCURRENCE_STATUSES, SKIP_REASONS } from '../schedule.state.ts';
import { Schedule } from '../schedule.entity.ts';

/** What became of one slot of a schedule, or of one run by hand. */
const schema = defineEntity({
  name: 'ScheduleOccurrence',
  tableName: 'schedule_occurrence',
  properties: {
    ...organizationOwned,
    schedule: () =>
      p
        .manyToOne(Schedule)
        .joinColumns('organization_id', 'schedule_id')
        .referencedColumnNames('organization_id', 'id')
        .updateRule('no action')
        .deleteRule('no action'),
    scheduleId: p.uuid().persist(false),
    plannedAt: timestamp(),
    origin: p.enum(OCCURRENCE_ORIGINS).columnType('text'),
    status: p.enum(OCCURRENCE_STATUSES).columnType('text'),
    reason: p.enum(SKIP_REASONS).columnType('text').nullable(),
    taskId: p.uuid().nullable(),
    createdAt: timestamp().defaultRaw('clock_timestamp()'),
  },
  // The last line behind the fence, and the order of the list.
  uniques: [{ name: 'schedule_occurrence_slot', properties: ['organization', 'schedule', 'plannedAt'] }],
  indexes: [{ name: 'schedule_occurrence_by_status', properties: ['organization', 'schedule', 'status', 'plannedAt'] }],
  policies: tenantPolicies(),
  rowLevelSecurity: 'force',
});

export class ScheduleOccurrence extends schema.class {}
schema.setClass(ScheduleOccurrence);
