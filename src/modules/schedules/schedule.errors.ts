import { defineErrors, defineIssues } from '../../kernel/errors/index.ts';

export const ScheduleErrors = defineErrors({
  notFound: { status: 404, code: 'schedule_not_found', message: 'There is no such schedule.' },
  notYours: {
    status: 409,
    code: 'state_conflict',
    message: 'This schedule is not yours to change: another profile owns it.',
  },
  keyInUse: { status: 409, code: 'state_conflict', message: 'Another schedule has this key: choose another one.' },
  changedMeanwhile: {
    status: 409,
    code: 'state_conflict',
    message: 'The schedule was changed meanwhile: read it again.',
  },
  profileDisabled: {
    status: 409,
    code: 'state_conflict',
    message: 'The agent profile is disabled: an owner can enable it.',
  },
  profileGone: { status: 409, code: 'state_conflict', message: 'The agent profile of the schedule was deleted.' },
  executionOver: { status: 409, code: 'state_conflict', message: 'The run or turn is over, or of another profile.' },
  dispatchStopped: { status: 409, code: 'state_conflict', message: 'Work dispatch is stopped: resume it first.' },
  previousTaskLives: {
    status: 409,
    code: 'state_conflict',
    message: 'The previous task has not ended: wait for it or cancel it.',
  },
});

export const ScheduleIssues = defineIssues({
  invalidReference: { code: 'invalid_reference', message: 'must be the id of a schedule, or its key' },
  invalidExpression: {
    code: 'invalid_expression',
    message: 'must be a cron expression of five fields that comes due some time',
  },
  tooFrequent: { code: 'too_frequent', message: 'must leave at least 5 minutes between two slots' },
});
