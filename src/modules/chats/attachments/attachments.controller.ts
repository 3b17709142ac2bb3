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

/** GET and HEAD alike. */
const CONTENT = {
  description:
    'Permitted to owners, to turns of the chat, and to runs whose task came of the chat or whose root task has the attachment as an input that an owner gave; others get 404. Sent as a download of type `application/octet-stream`, whatever its media type.',
  auth: ['owner', 'execution'],
  scope: 'read',
  bytes: true,
  errors: [AttachmentErrors.notFound, AttachmentErrors.bytesDamaged],
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
      'Choose the id yourself. The file has at most 50 MiB and a supported media type, which its bytes must match as far as they show it. A repeat with the same id and file gets the same answer. The chat must be open; the onboarding chat takes no attachments.',
    auth: 'owner',
    scope: 'work',
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
  @Endpoint({ summary: 'Download an attachment', ...CONTENT })
  content(
    @Caller() caller: OwnerPrincipal | ExecutionPrincipal,
    @Param() attachment: AttachmentParams,
  ): Promise<ByteAnswer> {
    return this.attachments.open(caller, attachment);
  }

  @Head('content')
  @Endpoint({ summary: 'Read the headers of an attachment', ...CONTENT })
  contentHead(
    @Caller() caller: OwnerPrincipal | ExecutionPrincipal,
    @Param() attachment: AttachmentParams,
  ): Promise<ByteAnswer> {
    return this.attachments.open(caller, attachment);
  }
}
