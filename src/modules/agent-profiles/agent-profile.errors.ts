import { defineErrors } from '../../kernel/errors/index.ts';

export const AgentProfileErrors = defineErrors({
  notFound: { status: 404, code: 'agent_profile_not_found', message: 'There is no such agent profile.' },
});
