import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { Transactions, type Tx } from '../../../kernel/database/index.ts';
import { ApiError, EdgeErrors } from '../../../kernel/errors/index.ts';
import { newId } from '../../../kernel/ids/index.ts';
import { asDeclared, type MediaType, mediaTypeOf } from '../../../kernel/storage/index.ts';
import { Uploads } from '../../../kernel/uploads/index.ts';
import { ActivityLogService } from '../../organizations/index.ts';
import {
  attachmentUploads,
  type AttachmentUploadRef,
  insertAttachment,
  type NewFile,
} from './attachment-uploads.queries.ts';
import type { AttachmentDto, StoreAttachmentQuery } from './attachment.dto.ts';
import { MAX_ATTACHMENT_BYTES } from './attachment.policy.ts';
import { attachmentById, type AttachmentRef } from './attachments.queries.ts';
import type { ChatDto } from '../chat.dto.ts';
import { AttachmentErrors, ChatErrors } from '../chat.errors.ts';
import { lockChat } from '../chats.queries.ts';

const LIMITS = { maxBytes: MAX_ATTACHMENT_BYTES, tooLarge: AttachmentErrors.tooLarge };

/**
 * Makes files attachments: an upload is noted and becomes the attachment in transactions on the locked chat, each of which
 * refuses what the chat does not take.
 */
@Injectable()
export class AttachmentUploadsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly uploads: Uploads,
    private readonly activity: ActivityLogService,
  ) {}

  /** Stores a file. Receives one under a known id too, to compare it with the attachment. */
  async store(
    owner: OwnerPrincipal,
    ref: AttachmentRef,
    query: StoreAttachmentQuery,
    body: Readable,
  ): Promise<AttachmentDto> {
    const { upload, mediaType } = await this.begin(owner, ref, query, body);
    const bytes = asDeclared(body, mediaType, AttachmentErrors.unsupported);
    return this.uploads.store(attachmentUploads, upload, { bytes, limits: LIMITS }, (stored) =>
      this.attach(owner, ref, upload, { ...query, mediaType, ...stored }),
    );
  }

  /** Begins an upload, or refuses it before its body is read; drops the body then, so that the answer arrives. */
  private async begin(
    owner: OwnerPrincipal,
    ref: AttachmentRef,
    { fileName, mediaType: declared }: StoreAttachmentQuery,
    body: Readable,
  ): Promise<{ readonly upload: AttachmentUploadRef; readonly mediaType: MediaType }> {
    const { organizationId, chatId } = ref;
    const upload = { organizationId, chatId, id: newId() };
    try {
      const mediaType = mediaTypeOf(declared, AttachmentErrors.unsupported);
      await this.onOpenChat(owner, ref, { fileName, mediaType }, (tx) => tx.rows(attachmentUploads.begin(upload)));
      return { upload, mediaType };
    } catch (error) {
      body.resume();
      throw error;
    }
  }

  private attach(owner: OwnerPrincipal, ref: AttachmentRef, upload: AttachmentUploadRef, file: NewFile) {
    const { chatId, attachmentId } = ref;
    return this.onOpenChat(owner, ref, file, async (tx, present) => {
      if (present) return { kept: present, isNew: false };
      const subject = { kind: 'attachment', id: attachmentId, label: file.fileName };
      const entry = this.activity.entry(tx, { actor: owner, verb: 'attachment.stored', subject, details: { chatId } });
      const [[attachment]] = await tx.batch([insertAttachment(ref, upload, file), ...entry]);
      // The sweep gave the bytes up before this request got here.
      if (!attachment) throw new ApiError(EdgeErrors.requestTimeout);
      return { kept: attachment, isNew: true };
    });
  }

  /**
   * Runs `work` on the locked chat if it takes the file, with the attachment of that id if the chat has the same file
   * already.
   */
  private onOpenChat<T>(
    owner: OwnerPrincipal,
    ref: AttachmentRef,
    file: Partial<NewFile>,
    work: (tx: Tx, present: AttachmentDto | undefined) => Promise<T>,
  ): Promise<T> {
    const { organizationId, chatId } = ref;
    return this.transactions.statementsInOrganization(
      owner,
      organizationId,
      async (tx) => {
        const [[chat], [present]] = await tx.batch([lockChat(organizationId, chatId), attachmentById(ref)]);
        if (!chat) throw new ApiError(ChatErrors.notFound);
        refuse(chat, present, file);
        return work(tx, present);
      },
      // The one chat of an organization that is being onboarded refuses with a code of its own.
      { whileOnboarding: true },
    );
  }
}

function refuse(chat: ChatDto, present: AttachmentDto | undefined, file: Partial<NewFile>): void {
  const message = refusal(chat, present, file);
  if (message !== undefined) throw new ApiError(AttachmentErrors.notAllowed, { message });
}

function refusal(chat: ChatDto, present: AttachmentDto | undefined, file: Partial<NewFile>): string | undefined {
  if (chat.isOnboardingChat) return 'The onboarding chat takes no attachments: use another chat.';
  if (chat.status === 'archived') return 'The chat is archived: restore it first.';
  const isOther = present && Object.entries(file).some(([property, value]) => present[property as 'sha256'] !== value);
  return isOther ? 'The chat has another file under this id: use a new id.' : undefined;
}
