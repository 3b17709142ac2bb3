import { defineErrors } from '../../kernel/errors/index.ts';

export const ScheduleErrors = defineErrors({
  notFound: { status: 404, code: 'schedule_not_found', message: 'There is no such schedule.' },
  notYours: { status: 409, code: 'state_conflict', message: 'This schedule is not yours to change.' },
  keyInUse: { status: 409, code: 'state_conflict', message: 'Another schedule has this key.' },
  changedMeanwhile: { status: 409, code: 'state_conflict', message: 'The schedule was changed meanwhile.' },
  profileDisabled: { status: 409, code: 'state_conflict', message: 'The agent profile is disabled.' },
  profileGone: { status: 409, code: 'state_conflict', message: 'The agent profile of the schedule was deleted.' },
  executionOver: { status: 409, code: 'state_conflict', message: 'The execution is over, or of another profile.' },
  dispatchStopped: { status: 409, code: 'state_conflict', message: 'Work dispatch is stopped.' },
  previousTaskLives: { status: 409, code: 'state_conflict', message: 'The previous task has not ended.' },
});
