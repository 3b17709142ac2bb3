import { defineErrors, defineIssues } from '../../kernel/errors/index.ts';

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

export const ProfileIssues = defineIssues({
  invalidRevision: { code: 'invalid_revision', message: 'must be 64 hexadecimal characters' },
  keyOfKind: { code: 'key_of_kind', message: 'is not the key of that kind, or that of another' },
  keyOfDepartment: { code: 'key_of_department', message: 'is the key of a department’s own profile' },
});
