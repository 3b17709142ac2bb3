import type { Readable } from 'node:stream';
import { Injectable, Logger } from '@nestjs/common';
import type { OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { Transactions, type Tx } from '../../../kernel/database/index.ts';
import { activeAccess } from '../../../kernel/tenancy/index.ts';
import { ApiError, EdgeErrors } from '../../../kernel/errors/index.ts';
import { newId } from '../../../kernel/ids/index.ts';
import { asDeclared, type MediaType, mediaTypeOf, ObjectStore } from '../../../kernel/storage/index.ts';
import { ActivityLogService } from '../../organizations/index.ts';
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
 * Makes files attachments. Each upload writes its row, stores its bytes under a key of its own, and becomes the
 * attachment in a transaction on the locked chat. An upload that fails before is discarded by its request or, if that
 * died, by the sweep.
 */
@Injectable()
export class AttachmentUploadsService {
  private readonly logger = new Logger('Attachments');

  constructor(
    private readonly transactions: Transactions,
    private readonly objects: ObjectStore,
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

  /**
   * Removes the bytes and the row of an upload, unless it became an attachment. May be repeated, and may run beside the
   * upload.
   */
  async discard(upload: Upload): Promise<void> {
    const access = activeAccess(upload.organizationId, EdgeErrors.stateConflict, 'ordinary');
    try {
      const [, attached] = await this.transactions.batch(access, [abandonUpload(upload), attachmentOfUpload(upload)]);
      if (attached.length > 0) return;
      await this.objects.delete(objectKeyOf(upload));
      await this.transactions.batch(access, [deleteUpload(upload)]);
    } catch (error) {
      // The purge takes what an organization that is being deleted has; the next sweep retries after any other error.
      if (error instanceof ApiError && error.row === EdgeErrors.stateConflict) return;
      this.logger.warn(`upload ${upload.id} is not removed yet: ${(error as Error).message}`);
    }
  }

  /** Begins an upload, or refuses it before its body is read; drops the body then, so that the answer arrives. */
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
    const { chatId, attachmentId } = ref;
    return this.onOpenChat(owner, ref, file, async (tx, present) => {
      if (present) return { attachment: present, isNew: false };
      const subject = { kind: 'attachment', id: attachmentId, label: file.fileName };
      const entry = this.activity.entry(tx, { actor: owner, verb: 'attachment.stored', subject, details: { chatId } });
      const [[attachment]] = await tx.batch([insertAttachment(ref, upload, file), ...entry]);
      // The sweep gave the bytes up before this request got here.
      if (!attachment) throw new ApiError(EdgeErrors.requestTimeout);
      return { attachment, isNew: true };
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
