import type { Readable } from 'node:stream';
import { Injectable, Logger } from '@nestjs/common';
import type { OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { Transactions, type Tx } from '../../../kernel/database/index.ts';
import { activeAccess } from '../../../kernel/tenancy/index.ts';
import { ApiError, EdgeErrors } from '../../../kernel/errors/index.ts';
import { newId } from '../../../kernel/ids/index.ts';
import { asDeclared, type MediaType, mediaTypeOf, ObjectStore } from '../../../kernel/storage/index.ts';
import { activityEntry } from '../../organizations/index.ts';
import {
  abandonUpload,
  attachmentOfUpload,
  beginUpload,
  deleteUpload,
  insertAttachment,
  objectKeyOf,
  type NewFile,
  type Upload,
} from './attachment-uploads.queries.ts';
import type { AttachmentDto, StoreAttachmentQuery } from './attachment.dto.ts';
import { MAX_ATTACHMENT_BYTES } from './attachment.policy.ts';
import { attachmentById, type AttachmentRef } from './attachments.queries.ts';
import type { ChatDto } from '../chat.dto.ts';
import { AttachmentErrors, ChatErrors } from '../chat.errors.ts';
import { lockChat } from '../chats.queries.ts';

const LIMITS = { maxBytes: MAX_ATTACHMENT_BYTES, tooLarge: AttachmentErrors.tooLarge };

/**
 * How files become attachments. Each upload is noted, then stores its bytes under a key of its own, and a transaction on
 * the locked chat makes it the attachment. One that does not get there is discarded: by its request or, where that died,
 * by the sweep.
 */
@Injectable()
export class AttachmentUploadsService {
  private readonly logger = new Logger('Attachments');

  constructor(
    private readonly transactions: Transactions,
    private readonly objects: ObjectStore,
  ) {}

  /** A file that is there already is received all the same, to see whether it is the same. */
  async store(
    owner: OwnerPrincipal,
    ref: AttachmentRef,
    query: StoreAttachmentQuery,
    body: Readable,
  ): Promise<AttachmentDto> {
    const { upload, mediaType } = await this.begin(owner, ref, query, body);
    try {
      const bytes = asDeclared(body, mediaType, AttachmentErrors.unsupported);
      const stored = await this.objects.put(objectKeyOf(upload), bytes, LIMITS);
      const { attachment, isNew } = await this.attach(owner, ref, upload, { ...query, mediaType, ...stored });
      if (!isNew) await this.discard(upload);
      return attachment;
    } catch (error) {
      await this.discard(upload);
      throw error;
    }
  }

  /** Removes what an upload left, unless it became an attachment. May be repeated, and may meet the upload at work. */
  async discard(upload: Upload): Promise<void> {
    const access = activeAccess(upload.organizationId, EdgeErrors.stateConflict, 'ordinary');
    try {
      const [, attached] = await this.transactions.batch(access, [abandonUpload(upload), attachmentOfUpload(upload)]);
      if (attached.length > 0) return;
      await this.objects.delete(objectKeyOf(upload));
      await this.transactions.batch(access, [deleteUpload(upload)]);
    } catch (error) {
      // The purge of a deleted organization takes it; anything else the next sweep.
      if (error instanceof ApiError && error.row === EdgeErrors.stateConflict) return;
      this.logger.warn(`upload ${upload.id} is not removed yet: ${(error as Error).message}`);
    }
  }

  /** What is refused here has not been read; the rest of the body is dropped, so that the answer arrives. */
  private async begin(
    owner: OwnerPrincipal,
    ref: AttachmentRef,
    { fileName, mediaType: declared }: StoreAttachmentQuery,
    body: Readable,
  ): Promise<{ readonly upload: Upload; readonly mediaType: MediaType }> {
    const { organizationId, chatId } = ref;
    const upload = { organizationId, chatId, id: newId() };
    try {
      const mediaType = mediaTypeOf(declared, AttachmentErrors.unsupported);
      await this.onOpenChat(owner, ref, { fileName, mediaType }, (tx) => tx.rows(beginUpload(upload)));
      return { upload, mediaType };
    } catch (error) {
      body.resume();
      throw error;
    }
  }

  private attach(owner: OwnerPrincipal, ref: AttachmentRef, upload: Upload, file: NewFile) {
    const { organizationId, chatId, attachmentId } = ref;
    return this.onOpenChat(owner, ref, file, async (tx, present) => {
      if (present) return { attachment: present, isNew: false };
      const subject = { kind: 'attachment', id: attachmentId, label: file.fileName };
      const entry = { organizationId, actor: owner, verb: 'attachment.stored', subject, details: { chatId } };
      const [[attachment]] = await tx.batch([insertAttachment(ref, upload, file), activityEntry(entry)]);
      // So late that its bytes have been given up.
      if (!attachment) throw new ApiError(EdgeErrors.requestTimeout);
      return { attachment, isNew: true };
    });
  }

  /** On the locked chat, where it takes the file; with the attachment of that id, where there is the same already. */
  private onOpenChat<T>(
    { subject }: OwnerPrincipal,
    ref: AttachmentRef,
    file: Partial<NewFile>,
    work: (tx: Tx, present: AttachmentDto | undefined) => Promise<T>,
  ): Promise<T> {
    const { organizationId, chatId } = ref;
    return this.transactions.statementsInOrganization(
      subject,
      organizationId,
      async (tx) => {
        const [[chat], [present]] = await tx.batch([lockChat(organizationId, chatId), attachmentById(ref)]);
        if (!chat) throw new ApiError(ChatErrors.notFound);
        refuse(chat, present, file);
        return work(tx, present);
      },
      // The one chat of a shell that is being onboarded refuses it by its own code.
      { whileOnboarding: true },
    );
  }
}

function refuse(chat: ChatDto, present: AttachmentDto | undefined, file: Partial<NewFile>): void {
  const message = refusal(chat, present, file);
  if (message !== undefined) throw new ApiError(AttachmentErrors.notAllowed, { message });
}

function refusal(chat: ChatDto, present: AttachmentDto | undefined, file: Partial<NewFile>): string | undefined {
  if (chat.isOnboardingChat) return 'The onboarding chat takes no attachments.';
  if (chat.status === 'archived') return 'The chat is archived.';
  const isOther = present && Object.entries(file).some(([property, value]) => present[property as 'sha256'] !== value);
  return isOther ? 'The chat has another attachment of this id.' : undefined;
}
