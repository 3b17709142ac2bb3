import type { ActivityVerb } from '../organizations/index.ts';
import type { ChatDto, UpdateChatDto } from './chat.dto.ts';
import type { ChatStatus } from './chat.state.ts';

/** A change of a chat; what it leaves out stays. */
export interface ChatChange {
  readonly title?: string;
  readonly status?: ChatStatus;
  readonly pinnedTaskIds?: readonly string[];
}

/** The part of a patch that differs from the chat. */
export function changeOf(chat: ChatDto, { title, status, settings }: UpdateChatDto): ChatChange {
  // A UUID in upper case is the same id.
  const pinned = settings?.pinnedTaskIds && [...new Set(settings.pinnedTaskIds.map((id) => id.toLowerCase()))];
  return {
    ...(title === undefined || title === chat.title ? {} : { title }),
    ...(status === undefined || status === chat.status ? {} : { status }),
    ...(pinned === undefined || pinned.join() === chat.settings.pinnedTaskIds.join() ? {} : { pinnedTaskIds: pinned }),
  };
}

/** The verb of a change in the activity log. */
export function verbOf({ status }: ChatChange): ActivityVerb {
  if (status === undefined) return 'chat.updated';
  return status === 'archived' ? 'chat.archived' : 'chat.restored';
}
