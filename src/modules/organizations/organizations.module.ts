import { Module } from '@nestjs/common';
import { ActivityController } from './activity.controller.ts';
import { ActivityLog } from './activity-log.ts';
import { DepartmentSwitch } from './department-switch.ts';
import { MembersController } from './members.controller.ts';
import { MembersService } from './members.service.ts';
import { OrganizationObjects } from './organization-objects.ts';
import { OrganizationPurge } from './organization-purge.ts';
import { OrganizationSlugs } from './organization-slugs.ts';
import { OrganizationsController } from './organizations.controller.ts';
import { OrganizationsJobs } from './organizations.jobs.ts';
import { OrganizationsService } from './organizations.service.ts';
import { OwnerTokensController } from './owner-tokens.controller.ts';
import { OwnerTokensService } from './owner-tokens.service.ts';
import { WorkDispatchController } from './work-dispatch.controller.ts';
import { WorkDispatchService } from './work-dispatch.service.ts';
import { WorkInFlight } from './work-in-flight.ts';
import { WorkPermitted } from './work-permitted.ts';

@Module({
  controllers: [
    OrganizationsController,
    WorkDispatchController,
    MembersController,
    ActivityController,
    OwnerTokensController,
  ],
  providers: [
    OrganizationsService,
    OrganizationSlugs,
    OrganizationPurge,
    OrganizationObjects,
    OrganizationsJobs,
    WorkDispatchService,
    MembersService,
    OwnerTokensService,
    ActivityLog,
    DepartmentSwitch,
    WorkInFlight,
    WorkPermitted,
  ],
  exports: [OrganizationsService, ActivityLog, DepartmentSwitch, WorkInFlight, WorkPermitted],
})
export class OrganizationsModule {}
