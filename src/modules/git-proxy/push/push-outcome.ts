import type { ActionDetailDto, SuccessiveAction } from '../../actions/index.ts';
import type { PushReport, RefVerdict } from '../protocol/index.ts';

/** What the client is told of a push that was staged, by what its action has become. */
export function outcomeOf({ kind, action }: SuccessiveAction, ref: string): PushReport {
  if (kind === 'under_way') {
    const reason = `another push to the branch is under way: action ${action.reference}`;
    return { refs: [{ ref, isDone: false, reason }], remarks: waitingFor(action) };
  }
  const verdict = verdictOf(action, ref);
  return { refs: [verdict], remarks: remarksOf(kind, action) };
}

function verdictOf({ status, reference, error }: ActionDetailDto, ref: string): RefVerdict {
  if (status === 'succeeded') return { ref, isDone: true };
  return { ref, isDone: false, reason: `${WORDS[status]}: action ${reference}${error ? `: ${error.message}` : ''}` };
}

const WORDS: Readonly<Record<Exclude<ActionDetailDto['status'], 'succeeded'>, string>> = {
  awaiting_approval: 'approval required',
  approved: 'under way',
  executing: 'under way',
  reconciliation_required: 'nobody knows yet whether it arrived',
  rejected: 'a person rejected it',
  failed: 'the host refused it',
  not_executed: 'not sent',
  expired: 'expired',
  cancelled: 'cancelled',
};

function remarksOf(kind: SuccessiveAction['kind'], action: ActionDetailDto): readonly string[] {
  switch (action.status) {
    case 'succeeded':
      return kind === 'met' ? [`Already pushed by action ${action.reference}; it is not sent again.`] : [];
    case 'awaiting_approval':
      return [`The push is kept as it is, and sent once a person approves it.`, ...waitingFor(action)];
    case 'approved':
    case 'executing':
    case 'reconciliation_required':
      return waitingFor(action);
    default:
      return [];
  }
}

function waitingFor({ id, reference }: ActionDetailDto): readonly string[] {
  return [`Do not push again; end the run with an action_wait for ${reference}, whose id is`, id];
}
