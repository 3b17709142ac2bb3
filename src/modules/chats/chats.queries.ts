import { columns, type Statement, statement } from '../../kernel/database/index.ts';
import type { ChatDto } from './chat.dto.ts';

const shown: { readonly [Property in keyof ChatDto]: string } = {
  id: 'c.id',
  organizationId: 'c.organization_id',
  title: 'c.title',
  status: 'c.status',
  summary: 'c.summary',
  harnessSessionId: `case when c.harness_session_id is not null and c.harness_session_epoch =
    (select o.authorization_epoch from organization o where o.id = c.organization_id) then c.harness_session_id end`,
  settings: `jsonb_build_object('pinnedTaskIds', c.pinned_task_ids)`,
  lastMessageAt: 'c.last_message_at',
  archivedAt: 'c.archived_at',
  isOnboardingChat: 'c.is_onboarding_chat',
  createdAt: 'c.created_at',
  updatedAt: 'c.updated_at',
};

/** Select list of a chat aliased `c`. */
export const CHAT_COLUMNS = columns<ChatDto>(shown);

/** A chat that was not deleted. */
export function chatById(organizationId: string, id: string): Statement<ChatDto> {
  return statement(
    `select ${CHAT_COLUMNS} from chat c where c.organization_id = $1 and c.id = $2 and c.deleted_at is null`,
    organizationId,
    id,
  );
}
