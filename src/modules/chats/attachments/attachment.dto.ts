import { FileName, Integer, Text, Timestamp, Uuid } from '../../../kernel/validation/index.ts';
import { InChatParams } from '../chat.dto.ts';

const SHA256 = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';

export class AttachmentDto {
  @Integer({ min: 1, example: 1 })
  version!: number;
  @Uuid()
  id!: string;
  @Uuid()
  organizationId!: string;
  @Uuid()
  chatId!: string;
  @Text({ example: 'orders.csv' })
  fileName!: string;
  @Text({ example: 'text/csv' })
  mediaType!: string;
  @Integer({ example: 5_120 })
  sizeBytes!: number;
  @Text({ example: SHA256 })
  sha256!: string;
  @Timestamp()
  createdAt!: string;
  @Text({
    example:
      'service://organizations/0199c9a4-5b1e-7c3a-9f42-1c8f6f0f2a11/chats/0199c9a4-5b1e-7c3a-9f42-1c8f6f0f2a12/attachments/4b2f7d0c-5f7e-4a7e-b1d4-6f0e8c9a1b2c',
  })
  uri!: string;
}

export class AttachmentParams extends InChatParams {
  @Uuid()
  attachmentId!: string;
}

export class StoreAttachmentQuery {
  @FileName({ example: 'orders.csv' })
  fileName!: string;
  @Text({
    max: 255,
    example: 'text/csv',
    description:
      'Media type of the file; aliases of supported types are accepted, and parameters such as `charset` are dropped',
  })
  mediaType!: string;
}
