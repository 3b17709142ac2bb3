import { OpaqueCursor, SearchText, WindowedPageQuery } from '../../kernel/pagination/index.ts';
import {
  Flag,
  isUuid,
  ListOf,
  Name,
  Nested,
  OneOf,
  PartialUpdate,
  Text,
  TextList,
  Timestamp,
  Uuid,
} from '../../kernel/validation/index.ts';
import { OrganizationParams } from '../organizations/index.ts';
import { CHAT_STATUSES, type ChatStatus, MAX_PINNED_TASKS } from './chat.state.ts';

const PINNED_TASKS = {
  max: MAX_PINNED_TASKS,
  items: { schema: { type: 'string', format: 'uuid' }, what: 'a UUID', test: isUuid },
  example: [],
  description: 'Ids of the tasks that are pinned to the chat',
};

export class ChatSettingsDto {
  @TextList(PINNED_TASKS)
  pinnedTaskIds!: string[];
}

export class ChatDto {
  @Uuid()
  id!: string;
  @Uuid()
  organizationId!: string;
  @Text({ max: 200, example: 'Launch in March' })
  title!: string;
  @OneOf(CHAT_STATUSES)
  status!: ChatStatus;
  @Text({ nullable: true, example: 'The launch is planned; the post is being written.' })
  summary!: string | null;
  @Text({
    nullable: true,
    example: null,
    description: 'The session of the last turn; null once `authorizationEpoch` has advanced',
  })
  harnessSessionId!: string | null;
  @Nested(() => ChatSettingsDto)
  settings!: ChatSettingsDto;
  @Timestamp({ nullable: true })
  lastMessageAt!: string | null;
  @Timestamp({ nullable: true, example: null })
  archivedAt!: string | null;
  @Flag({ example: false, description: 'The onboarding chat cannot be changed or deleted' })
  isOnboardingChat!: boolean;
  @Timestamp()
  createdAt!: string;
  @Timestamp()
  updatedAt!: string;
}

export class ChatParams extends OrganizationParams {
  @Uuid()
  id!: string;
}

export class ChatListQuery extends WindowedPageQuery {
  @OpaqueCursor()
  declare cursor?: string;
  @ListOf(CHAT_STATUSES, { optional: true, description: 'Repeatable' })
  status?: ChatStatus[];
  @SearchText('Part of the title or of a message, in any case')
  search?: string;
}

export class CreateChatDto {
  @Name({ example: 'Launch in March' })
  title!: string;
}

@PartialUpdate()
export class UpdateChatSettingsDto {
  @TextList({ ...PINNED_TASKS, optional: true })
  pinnedTaskIds?: string[];
}

@PartialUpdate()
export class UpdateChatDto {
  @Name({ optional: true, example: 'Launch in April' })
  title?: string;
  @OneOf(CHAT_STATUSES, {
    optional: true,
    example: 'archived',
    description: '`archived` archives the chat, `open` restores it',
  })
  status?: ChatStatus;
  @Nested(() => UpdateChatSettingsDto, { optional: true })
  settings?: UpdateChatSettingsDto;
}

export class InChatParams extends OrganizationParams {
  @Uuid()
  chatId!: string;
}
