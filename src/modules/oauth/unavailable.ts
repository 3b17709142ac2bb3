import { ApiError } from '../../kernel/errors/index.ts';
import { IntegrationErrors } from '../integrations/index.ts';

/** How long to wait where the other side does not say. */
const RETRY_AFTER_SECONDS = 5;

/** The other side does not answer as it should. */
export function unavailable(): ApiError {
  return new ApiError(IntegrationErrors.providerUnavailable, {
    headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) },
  });
}
