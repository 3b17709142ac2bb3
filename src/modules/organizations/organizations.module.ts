import { Module } from '@nestjs/common';
import { ActivityController } from './activity/activity.controller.ts';
import { ActivityLogService } from './activity/activity-log.service.ts';
import { ActivitySignalsService } from './activity/activity-signals.service.ts';
import { ConstraintsChanged } from './constraints-changed.port.ts';
import { DepartmentSwitch } from './department-switch.port.ts';
import { ActivityClustersService } from './events/activity-clusters.service.ts';
import { ActivityEventsController } from './events/activity-events.controller.ts';
import { ActivityEventsService } from './events/activity-events.service.ts';
import { IconLookupService } from './icon/icon-lookup.service.ts';
import { OrganizationIconController } from './icon/organization-icon.controller.ts';
import { OrganizationIconService } from './icon/organization-icon.service.ts';
import { MembersController } from './members/members.controller.ts';
import { MembersService } from './members/members.service.ts';
import { OrganizationObjectsService } from './purge/organization-objects.service.ts';
import { OrganizationPurgeService } from './purge/organization-purge.service.ts';
import { OrganizationSignalsService } from './organization-signals.service.ts';
import { OrganizationSlugsService } from './organization-slugs.service.ts';
import { OrganizationsController } from './organizations.controller.ts';
import { OrganizationPurgeJobs } from './purge/organization-purge.jobs.ts';
import { OrganizationsService } from './organizations.service.ts';
import { OwnerTokensController } from './owner-tokens/owner-tokens.controller.ts';
import { OwnerTokensService } from './owner-tokens/owner-tokens.service.ts';
import { WorkDispatchController } from './work-dispatch/work-dispatch.controller.ts';
import { WorkDispatchService } from './work-dispatch/work-dispatch.service.ts';
import { WorkInFlight } from './work-dispatch/work-in-flight.port.ts';
import { WorkPermitted } from './work-dispatch/work-permitted.port.ts';

@Module({
  controllers: [
    OrganizationsController,
    OrganizationIconController,
    WorkDispatchController,
    MembersController,
    ActivityController,
    ActivityEventsController,
    OwnerTokensController,
  ],
  providers: [
    OrganizationsService,
    OrganizationIconService,
    IconLookupService,
    OrganizationSlugsService,
    OrganizationSignalsService,
    OrganizationPurgeService,
    OrganizationObjectsService,
    OrganizationPurgeJobs,
    WorkDispatchService,
    MembersService,
    OwnerTokensService,
    ActivityLogService,
    ActivitySignalsService,
    ActivityClustersService,
    ActivityEventsService,
    ConstraintsChanged,
    DepartmentSwitch,
    WorkInFlight,
    WorkPermitted,
  ],
  exports: [
    OrganizationsService,
    OrganizationSignalsService,
    ActivityLogService,
    ConstraintsChanged,
    DepartmentSwitch,
    WorkInFlight,
    WorkPermitted,
  ],
})
export class OrganizationsModule {}
