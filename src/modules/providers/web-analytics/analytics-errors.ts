import { Logger } from '@nestjs/common';
import type { Failure } from '../../integrations/index.ts';
import { type Classify, isObject, type ProviderAnswer } from '../wire/index.ts';

/** Seconds to wait by the bucket that is used up, where the provider says none. */
const CONCURRENT_SECONDS = 30;
const HOURLY_SECONDS = 1_800;
const DAY_SECONDS = 86_400;

/** What the operator has to mend: the project is not enabled for this, or its own quota is used up. */
const OF_DEPLOYMENT: ReadonlySet<string> = new Set([
  'SERVICE_DISABLED',
  'RATE_LIMIT_EXCEEDED',
  'QUOTA_EXCEEDED',
  'CONSUMER_INVALID',
  'rateLimitExceeded',
  'quotaExceeded',
]);

const logger = new Logger('WebAnalytics');

/** What a refusal means: the deployment's project, the credential, or the one property. */
export function refusalAbout(resource: string | undefined): Classify {
  return (answer) => {
    if (answer.status === 429) return { retryAfterSeconds: answer.retryAfterSeconds ?? pauseOf(answer) };
    if (answer.status === 403) return forbidden(reasonsIn(answer), resource);
    // One that is gone is of that property too.
    if (answer.status === 404 && resource !== undefined) return { resource };
    return undefined;
  };
}

function forbidden(reasons: readonly string[], resource: string | undefined): Partial<Failure> {
  const reason = reasons.find((each) => OF_DEPLOYMENT.has(each));
  if (reason !== undefined) {
    logger.error(`the deployment's project may not use the provider (${reason})`);
    return { code: 'unavailable' };
  }
  const isOfCredential = resource === undefined || reasons.includes('ACCESS_TOKEN_SCOPE_INSUFFICIENT');
  return { code: 'scope_lost', ...(isOfCredential ? {} : { resource }) };
}

function reasonsIn({ body }: ProviderAnswer): readonly string[] {
  const error = isObject(body) ? body['error'] : undefined;
  const details = isObject(error) ? error['details'] : undefined;
  if (!Array.isArray(details)) return [];
  return details.flatMap((each: unknown) =>
    isObject(each) && typeof each['reason'] === 'string' ? [each['reason']] : [],
  );
}

/** By the words with which the provider names the bucket; they are read and never passed on. */
function pauseOf({ body }: ProviderAnswer): number | null {
  const error = isObject(body) ? body['error'] : undefined;
  const message = isObject(error) && typeof error['message'] === 'string' ? error['message'] : '';
  if (message.includes('concurrent')) return CONCURRENT_SECONDS;
  if (message.includes('per day')) return secondsToPacificMidnight();
  return message.includes('hour') ? HOURLY_SECONDS : null;
}

const PACIFIC = new Intl.DateTimeFormat('en-GB', { timeZone: 'America/Los_Angeles', timeStyle: 'medium' });

/** When quotas of a day begin anew; an hour off on the two days on which clocks change. */
export function secondsToPacificMidnight(now = new Date()): number {
  const [hours, minutes, seconds] = PACIFIC.format(now).split(':').map(Number);
  return DAY_SECONDS - (hours! * 3_600 + minutes! * 60 + seconds!);
}
