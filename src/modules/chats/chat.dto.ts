import { Flag, Nested, OneOf, Text, TextList, Timestamp, Uuid, isUuid } from '../../kernel/validation/index.ts';
import { CHAT_STATUSES, type ChatStatus, MAX_PINNED_TASKS } from './chat.state.ts';

export class ChatSettingsDto {
  @TextList({
    max: MAX_PINNED_TASKS,
    items: { schema: { type: 'string', format: 'uuid' }, what: 'a UUID', test: isUuid },
    example: [],
    description: 'Ids of tasks',
  })
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
  @Text({ nullable: true, example: null, description: 'Null again once `authorizationEpoch` has advanced' })
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
