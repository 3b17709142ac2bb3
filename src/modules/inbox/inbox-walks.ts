import { atAnyTime, type Walk } from '../../kernel/pagination/index.ts';
import type { InboxListQuery } from './inbox-item.dto.ts';
import {
  INBOX_KINDS,
  INBOX_STATUSES,
  type InboxKind,
  type InboxPurpose,
  type InboxSeverity,
} from './inbox-item.state.ts';

/** Which kinds have a severity. */
const KINDS_OF_SEVERITY: Readonly<Record<InboxSeverity, readonly InboxKind[]>> = {
  info: ['notification'],
  attention: ['notification', 'question'],
  action_required: ['question', 'approval', 'reconciliation'],
};

const KINDS_OF_PURPOSE: Readonly<Record<InboxPurpose, readonly InboxKind[]>> = {
  task: ['question'],
  learning_input: ['question'],
};

type Filters = Pick<
  InboxListQuery,
  | 'status'
  | 'kind'
  | 'severity'
  | 'purpose'
  | 'taskId'
  | 'chatId'
  | 'runId'
  | 'actionId'
  | 'createdAfter'
  | 'createdBefore'
>;

/**
 * How a list finds its rows without reading all history; none where it goes by id, which grows with time too. Open items
 * are few and have an index of their own. Of the others those are walked of the kinds that the filters leave, or of the
 * statuses.
 */
export function inboxWalks(query: Filters): readonly Walk[] | undefined {
  const { status, taskId, chatId, runId, actionId } = query;
  if ([taskId, chatId, runId, actionId].some((id) => id !== undefined)) return undefined;
  const kinds = kindsLeft(query);
  if (status?.every((each) => each === 'open')) return [{ column: 'kind', values: kinds, among: `i.status = 'open'` }];
  if (kinds.length < INBOX_KINDS.length) return [{ column: 'kind', values: kinds, among: atAnyTime('i') }];
  const isByTime = query.createdAfter !== undefined || query.createdBefore !== undefined;
  if (status || isByTime)
    return [{ column: 'status', values: [...new Set(status ?? INBOX_STATUSES)], among: atAnyTime('i') }];
  return undefined;
}

/** The kinds of items that pass the filters of kind, severity and purpose. */
function kindsLeft({ kind, severity, purpose }: Filters): InboxKind[] {
  return INBOX_KINDS.filter(
    (each) =>
      (kind?.includes(each) ?? true) &&
      (severity?.some((word) => KINDS_OF_SEVERITY[word].includes(each)) ?? true) &&
      (purpose?.some((word) => KINDS_OF_PURPOSE[word].includes(each)) ?? true),
  );
}
