import { Module } from '@nestjs/common';
import { AgentProfilesModule } from '../agent-profiles/index.ts';
import { OrganizationsModule } from '../organizations/index.ts';
import { TasksModule } from '../tasks/index.ts';
import { ActingProfiles } from './acting-profile.ts';
import { ScheduleFiring } from './schedule-firing.ts';
import { ScheduleSwitch } from './schedule-switch.ts';
import { SchedulesAgentController } from './schedules.agent.controller.ts';
import { AgentSchedules } from './schedules.agent.service.ts';
import { SchedulesController } from './schedules.controller.ts';
import { SchedulesJobs } from './schedules.jobs.ts';
import { SchedulesService } from './schedules.service.ts';

@Module({
  imports: [OrganizationsModule, AgentProfilesModule, TasksModule],
  controllers: [SchedulesController, SchedulesAgentController],
  providers: [ActingProfiles, ScheduleFiring, ScheduleSwitch, SchedulesService, AgentSchedules, SchedulesJobs],
})
export class SchedulesModule {}
