/** When tasks come into being by themselves: triggers, their slots, what became of each. */
export { ScheduleOccurrence } from './firing/schedule-occurrence.entity.ts';
export { Schedule } from './schedule.entity.ts';
export { SchedulesModule } from './schedules.module.ts';
