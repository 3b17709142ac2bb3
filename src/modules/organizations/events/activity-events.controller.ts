import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Owner, type OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { Endpoint, LastEventId, type StreamedEvents } from '../../../kernel/http/index.ts';
import { OrganizationParams } from '../organization.dto.ts';
import { ActivityEventDto, ActivityEventQuery, ActivitySnapshotEventDto } from './activity-event.dto.ts';
import { ActivityEventsService } from './activity-events.service.ts';

@ApiTags('organizations')
@Controller('organizations/:organizationId/events')
export class ActivityEventsController {
  constructor(private readonly events: ActivityEventsService) {}

  @Get()
  @Endpoint({
    summary: 'Follow the activity of an organization',
    description:
      'A stream of server-sent events: each entry of the activity log as it is committed, exactly once. It begins with a `snapshot`, which says that the stream tells all from there on; list the activity after it for what was before. A client that reconnects with `Last-Event-ID` gets what came since, and no `snapshot`, unless the log does not have that event any more (`behind_retention`) or never had it (`unknown_position`): then it lists the activity again. Entries that were written at the same time may come in another order than that of `at`. A client that does not read is disconnected. With filters a block of only an `id` may come, which clients remember. The stream ends with a comment when the caller loses access, the organization is deleted, or the process stops.',
    auth: 'owner',
    scope: 'read',
    events: { snapshot: ActivitySnapshotEventDto, activity: ActivityEventDto },
    eventId: '6h8dk2q1zb.1...0199c9a4-5b1e-7c3a-9f42-1c8f6f0f2a11',
  })
  follow(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId }: OrganizationParams,
    @Query() wanted: ActivityEventQuery,
    @LastEventId() lastEventId: string | undefined,
  ): Promise<StreamedEvents> {
    return this.events.follow(owner, organizationId, wanted, lastEventId);
  }
}
