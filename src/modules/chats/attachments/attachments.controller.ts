import type { Readable } from 'node:stream';
import { Controller, Get, Head, Param, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Caller, type ExecutionPrincipal, Owner, type OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { BodyStream, type ByteAnswer, Endpoint } from '../../../kernel/http/index.ts';
import { AttachmentUploadsService } from './attachment-uploads.service.ts';
import { MAX_ATTACHMENT_BYTES } from './attachment.policy.ts';
import { AttachmentDto, AttachmentParams, StoreAttachmentQuery } from './attachment.dto.ts';
import { AttachmentsService } from './attachments.service.ts';
import { AttachmentErrors, ChatErrors } from '../chat.errors.ts';

/** Of both ways to ask. */
const CONTENT = {
  description:
    'For owners, for turns of the chat, and for runs whose task came of it or whose root task an owner gave the attachment as an input; to others there is no such attachment. Always a file to be kept, whatever its media type.',
  auth: ['owner', 'execution'],
  bytes: true,
  errors: [AttachmentErrors.notFound],
} as const;

@ApiTags('chats')
@Controller('organizations/:organizationId/chats/:chatId/attachments/:attachmentId')
export class AttachmentsController {
  constructor(
    private readonly attachments: AttachmentsService,
    private readonly uploads: AttachmentUploadsService,
  ) {}

  @Put()
  @Endpoint({
    summary: 'Attach a file to a chat',
    description:
      'Under an id of your own, at most 50 MB, of a type that is taken and that the bytes are of as far as they tell. The same file under the same id again is answered as the first time. Only chats that are open, and not the onboarding chat, take attachments.',
    auth: 'owner',
    raw: true,
    bodyLimitBytes: MAX_ATTACHMENT_BYTES,
    returns: AttachmentDto,
    status: 201,
    message: 'Attachment stored',
    errors: [ChatErrors.notFound, AttachmentErrors.notAllowed, AttachmentErrors.tooLarge, AttachmentErrors.unsupported],
  })
  store(
    @Owner() owner: OwnerPrincipal,
    @Param() attachment: AttachmentParams,
    @Query() query: StoreAttachmentQuery,
    @BodyStream() body: Readable,
  ): Promise<AttachmentDto> {
    return this.uploads.store(owner, attachment, query, body);
  }

  @Get('content')
  @Endpoint({ summary: 'Read the file of an attachment', ...CONTENT })
  content(
    @Caller() caller: OwnerPrincipal | ExecutionPrincipal,
    @Param() attachment: AttachmentParams,
  ): Promise<ByteAnswer> {
    return this.attachments.open(caller, attachment);
  }

  @Head('content')
  @Endpoint({ summary: 'Look at the file of an attachment', ...CONTENT })
  contentHead(
    @Caller() caller: OwnerPrincipal | ExecutionPrincipal,
    @Param() attachment: AttachmentParams,
  ): Promise<ByteAnswer> {
    return this.attachments.open(caller, attachment);
  }
}
