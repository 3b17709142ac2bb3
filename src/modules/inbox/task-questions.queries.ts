import { columns, type Sql, sql, type Statement } from '../../kernel/database/index.ts';
import type { ClosedInboxStatus } from './inbox-item.state.ts';

/** Condition of a question `i` of an organization and one of its tasks. */
function isQuestionOf(organizationId: string, taskId: Sql): Sql {
  return sql`i.organization_id = ${organizationId} and i.task_id = ${taskId} and i.kind = 'question'`;
}

/** Locks a question that work on a task may wait for, shared; answers whether it is open. No row for any other item. */
export function holdQuestion(
  organizationId: string,
  taskId: string,
  inboxItemId: string,
): Statement<{ readonly open: boolean }> {
  return sql`
    select i.status = 'open' as open from inbox_item i
    where ${isQuestionOf(organizationId, sql`${taskId}`)} and i.purpose = 'task' and i.id = ${inboxItemId}
    for share`;
}

/** A question that is closed, for the task that it was asked in. */
export interface ClosedQuestion {
  readonly inboxItemId: string;
  readonly status: ClosedInboxStatus;
  readonly title: string;
  readonly body: string;
  /** Null where it was closed without one. */
  readonly response: string | null;
  readonly optionId: string | null;
  readonly at: string;
}

const CLOSED = columns<ClosedQuestion>({
  inboxItemId: 'i.id',
  status: 'i.status',
  title: 'i.title',
  body: 'i.body',
  response: `i.response->>'text'`,
  optionId: `i.response->>'optionId'`,
  at: 'i.updated_at',
});
const CLOSED_QUESTIONS = sql.raw('20');

/** The questions of a task that were closed last, the latest first. */
export function closedQuestionsOf(organizationId: string, taskId: Sql): Statement<ClosedQuestion> {
  return sql`
    select ${CLOSED} from inbox_item i
    where ${isQuestionOf(organizationId, taskId)} and i.status <> 'open'
    order by i.updated_at desc, i.id desc limit ${CLOSED_QUESTIONS}`;
}
