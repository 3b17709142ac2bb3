import { Module } from '@nestjs/common';
import { OrganizationsModule } from '../organizations/index.ts';
import { BackendItemsService } from './backend-items.service.ts';
import { InboxController } from './inbox.controller.ts';
import { InboxService } from './inbox.service.ts';
import { InboxItemsService } from './inbox-items.service.ts';

@Module({
  imports: [OrganizationsModule],
  controllers: [InboxController],
  providers: [InboxItemsService, BackendItemsService, InboxService],
  exports: [BackendItemsService],
})
export class InboxModule {}
