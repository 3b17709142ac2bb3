import { defineErrors } from '../../kernel/errors/index.ts';

export const LearningErrors = defineErrors({
  profileNotFound: { status: 404, code: 'agent_profile_not_found', message: 'There is no such agent profile.' },
  lessonNotFound: { status: 404, code: 'not_found', message: 'The profile never had a lesson of this key.' },
  profileDisabled: {
    status: 409,
    code: 'state_conflict',
    message: 'The agent profile is disabled; enable it first.',
  },
  keyTaken: {
    status: 409,
    code: 'state_conflict',
    message: 'An open task that is no learning task has the dedupe key of the cycle: end it first.',
  },
});
