import { Injectable } from '@nestjs/common';
import { type ExecutionPrincipal, LiveExecutions, type OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { Reads } from '../../../kernel/database/index.ts';
import { ApiError, EdgeIssues, issueAt } from '../../../kernel/errors/index.ts';
import type { ByteAnswer } from '../../../kernel/http/index.ts';
import { ObjectStore } from '../../../kernel/storage/index.ts';
import { AttachmentReaders } from './attachment-readers.port.ts';
import { type AttachedFile, attachedFile, type AttachmentRef } from './attachments.queries.ts';
import { AttachmentErrors } from '../chat.errors.ts';

/** Opens attachments for owners, and for executions that may read them; to others they do not exist. */
@Injectable()
export class AttachmentsService {
  constructor(
    private readonly reads: Reads,
    private readonly executions: LiveExecutions,
    private readonly readers: AttachmentReaders,
    private readonly objects: ObjectStore,
  ) {}

  async open(caller: OwnerPrincipal | ExecutionPrincipal, attachment: AttachmentRef): Promise<ByteAnswer> {
    const file =
      caller.kind === 'owner'
        ? (await this.reads.inOrganization(caller, attachment.organizationId, attachedFile(attachment)))[0]
        : await this.fileForExecution(caller, attachment);
    if (!file) throw new ApiError(AttachmentErrors.notFound);
    const { fileName, sizeBytes, sha256, objectKey } = file;
    return {
      sizeBytes,
      sha256,
      fileName,
      mediaType: 'application/octet-stream',
      open: (range) => this.objects.open(objectKey, range),
      damaged: () =>
        new ApiError(AttachmentErrors.bytesDamaged, { issues: [issueAt('attachmentId', EdgeIssues.bytesDamaged)] }),
    };
  }

  private fileForExecution(
    execution: ExecutionPrincipal,
    attachment: AttachmentRef,
  ): Promise<AttachedFile | undefined> {
    return this.reads.listThrough(this.executions.access(execution), {
      statements: () => [attachedFile(attachment), this.readers.permission(execution, attachment)],
      result: ([[file], permissions]) => (permissions.length > 0 ? file : undefined),
    });
  }
}
