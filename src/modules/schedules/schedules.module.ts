import { Module } from '@nestjs/common';
import { AgentProfilesModule } from '../agent-profiles/index.ts';
import { OrganizationsModule } from '../organizations/index.ts';
import { TasksModule } from '../tasks/index.ts';
import { ActingProfilesService } from './acting-profiles.service.ts';
import { RemovedProfiles } from './removed-profiles.adapter.ts';
import { ScheduleFiringService } from './firing/schedule-firing.service.ts';
import { ScheduleSwitchService } from './schedule-switch.service.ts';
import { SchedulesAgentController } from './schedules.agent.controller.ts';
import { SchedulesAgentService } from './schedules.agent.service.ts';
import { SchedulesController } from './schedules.controller.ts';
import { SchedulesJobs } from './firing/schedules.jobs.ts';
import { SchedulesService } from './schedules.service.ts';

@Module({
  imports: [OrganizationsModule, AgentProfilesModule, TasksModule],
  controllers: [SchedulesController, SchedulesAgentController],
  providers: [
    ActingProfilesService,
    RemovedProfiles,
    ScheduleFiringService,
    ScheduleSwitchService,
    SchedulesService,
    SchedulesAgentService,
    SchedulesJobs,
  ],
})
export class SchedulesModule {}
