import { Module } from '@nestjs/common';
import { InboxModule } from '../inbox/index.ts';
import { OrganizationsModule } from '../organizations/index.ts';
import { TasksModule } from '../tasks/index.ts';
import { DiscoveryController } from './discovery.controller.ts';
import { DiscoveryIntentionsService } from './discovery-intentions.service.ts';
import { DiscoveryJobs } from './discovery.jobs.ts';
import { DiscoveryMovesService } from './discovery-moves.service.ts';
import { DiscoveryService } from './discovery.service.ts';
import { SwitchedDepartments } from './switched-departments.adapter.ts';

@Module({
  imports: [OrganizationsModule, TasksModule, InboxModule],
  controllers: [DiscoveryController],
  providers: [DiscoveryService, DiscoveryIntentionsService, DiscoveryMovesService, SwitchedDepartments, DiscoveryJobs],
  exports: [DiscoveryIntentionsService],
})
export class DiscoveryModule {}
