import { defineErrors } from '../../kernel/errors/index.ts';

export const InboxErrors = defineErrors({
  notFound: { status: 404, code: 'human_inbox_item_not_found', message: 'There is no such inbox item.' },
});
