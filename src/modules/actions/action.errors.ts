import { defineErrors, defineIssues } from '../../kernel/errors/index.ts';

export const ActionErrors = defineErrors({
  notFound: { status: 404, code: 'not_found', message: 'There is no such action.' },
  stateConflict: { status: 409, code: 'state_conflict', message: 'The action does not allow this; read it again.' },
  budgetExhausted: {
    status: 409,
    code: 'budget_exhausted',
    message: 'The task or turn has proposed as many actions as it may.',
  },
});

export const ActionIssues = defineIssues({
  factChanged: {
    code: 'fact_changed',
    message: 'Something has changed that the action was bound to; it has expired.',
  },
  unusable: { code: 'unusable', message: 'What the action goes to cannot be used at present.' },
  notCommanded: {
    code: 'not_commanded',
    message: 'was not decided in the person’s own message; the person must type the command that the message names',
  },
  chatDecisionsOff: {
    code: 'chat_decisions_off',
    message: 'is not decided in chats of this deployment; an owner decides it themselves',
  },
});
