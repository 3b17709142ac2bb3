import { defineErrors } from '../../kernel/errors/index.ts';

export const AgentProfileErrors = defineErrors({
  notFound: { status: 404, code: 'agent_profile_not_found', message: 'There is no such agent profile.' },
  keyInUse: {
    status: 409,
    code: 'state_conflict',
    message:
      'Another profile has this key, or is the one operator or chat profile: choose another key, or change that profile.',
  },
  departmentDisabled: {
    status: 409,
    code: 'state_conflict',
    message: 'The department is disabled: enable it first, or leave the profile disabled.',
  },
  notDeletable: { status: 409, code: 'state_conflict', message: 'The operator and chat profiles cannot be deleted.' },
});
