import { defineErrors, defineIssues, EdgeIssues } from '../../kernel/errors/index.ts';

export const InboxIssues = defineIssues({
  unknownOption: { code: 'unknown_option', message: 'must be the id of an option' },
});

export const InboxErrors = defineErrors({
  notFound: { status: 404, code: 'human_inbox_item_not_found', message: 'There is no such inbox item.' },
  notOpen: {
    status: 409,
    code: 'human_inbox_item_not_open',
    message: 'The item is not open any more: read what became of it.',
  },
  noQuestion: {
    status: 409,
    code: 'state_conflict',
    message: 'Only a question takes a response: acknowledge a notification, and decide about the action of the others.',
  },
  noNotification: {
    status: 409,
    code: 'state_conflict',
    message: 'Only a notification can be acknowledged: answer a question, and decide about the action of the others.',
  },
  newerThanMessage: {
    status: 409,
    code: 'state_conflict',
    message: 'The item was not there yet when the message was posted: let the person see it first.',
    issues: [EdgeIssues.newerThanMessage],
  },
  notPermitted: {
    status: 409,
    code: 'state_conflict',
    message: 'This run or turn may not open such an item: see the issue.',
    issues: [EdgeIssues.notPermitted],
  },
  taskEnded: { status: 409, code: 'state_conflict', message: 'The task has ended: nobody would wait for the item.' },
  tooManyInputs: {
    status: 409,
    code: 'state_conflict',
    message: 'Too many learning inputs of this profile are open: wait until people have answered some.',
  },
  tooManyOpen: {
    status: 409,
    code: 'state_conflict',
    message: 'Too many items are open: wait until some are closed, or put what you have to say into fewer.',
  },
});
