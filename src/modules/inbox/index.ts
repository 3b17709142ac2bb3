/** What people have to answer, decide or know: questions, notifications, approvals, reconciliation. */
export { BackendItemsService } from './backend-items.service.ts';
export { type AnsweredQuestion, InboxAnswered } from './inbox-answered.port.ts';
export { InboxPresentationDto } from './inbox-item.dto.ts';
export { InboxItem } from './inbox-item.entity.ts';
export { InboxModule } from './inbox.module.ts';
export { CLOSED_INBOX_STATUSES, type ClosedInboxStatus } from './inbox-item.state.ts';
export { type ClosedQuestion, closedQuestionsOf, holdQuestion } from './task-questions.queries.ts';
