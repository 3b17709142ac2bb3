import { defineErrors } from '../../kernel/errors/index.ts';
import { OAUTH } from './oauth.policy.ts';

export const OauthErrors = defineErrors({
  tooManyStarts: {
    status: 409,
    code: 'state_conflict',
    message: `${OAUTH.mostLive} people are connecting this just now, as many as may at once: try again in ${OAUTH.stateMinutes} minutes.`,
  },
});
