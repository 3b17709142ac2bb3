import { Controller, Get, Param } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Owner, type OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { Endpoint, LastEventId, type StreamedEvents } from '../../../kernel/http/index.ts';
import { ChatDeltaEventDto, ChatEventParams, ChatMessageEventDto, ChatSnapshotEventDto } from './chat-event.dto.ts';
import { ChatEventsService } from './chat-events.service.ts';
import { ChatErrors } from '../chat.errors.ts';

@ApiTags('chats')
@Controller('organizations/:organizationId/chats/:chatId/events')
export class ChatEventsController {
  constructor(private readonly events: ChatEventsService) {}

  @Get()
  @Endpoint({
    summary: 'Follow the answers of a chat',
    description:
      'A stream of server-sent events: the latest answer as it is, then each change of it, and of later answers each behind the message of a person that it is for (a `chat.message` of role `user`). An id is `<assistantMessageId>:<revision>`, with 0 for what the person said. A client that reconnects with `Last-Event-ID` resumes exactly there while the appends since are kept (at least 5 minutes after the end of the answer), else from a snapshot of the latest answer. A client that lags gets a snapshot in place of appends; one that does not read is disconnected. Without an answer, and after its end, the stream stays open for the next one. It ends with a comment when the chat is deleted, the caller loses access, or the process stops.',
    auth: 'owner',
    scope: 'read',
    events: {
      'chat.snapshot': ChatSnapshotEventDto,
      'chat.delta': ChatDeltaEventDto,
      'chat.message': ChatMessageEventDto,
    },
    eventId: '0199c9a4-5b1e-7c3a-9f42-1c8f6f0f2a11:4',
    errors: [ChatErrors.notFound],
  })
  follow(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId, chatId }: ChatEventParams,
    @LastEventId() lastEventId: string | undefined,
  ): Promise<StreamedEvents> {
    return this.events.follow(owner, organizationId, chatId, lastEventId);
  }
}
