import { Logger } from '@nestjs/common';
import type { Failure } from '../../integrations/index.ts';
import { isObject, type ProviderAnswer } from '../wire/index.ts';

const QUOTA: ReadonlySet<string> = new Set([
  'rateLimitExceeded',
  'userRateLimitExceeded',
  'dailyLimitExceeded',
  'quotaExceeded',
  'RATE_LIMIT_EXCEEDED',
]);
/** What the operator has to mend. */
const OF_DEPLOYMENT: ReadonlySet<string> = new Set(['SERVICE_DISABLED', 'accessNotConfigured', 'CONSUMER_INVALID']);
/** Of the one file or event that was asked for. */
const OF_THING: ReadonlySet<string> = new Set([
  'insufficientFilePermissions',
  'cannotDownloadFile',
  'cannotExportFile',
  'exportSizeLimitExceeded',
  'fileNotDownloadable',
  'forbiddenForNonOrganizer',
  'requiredAccessLevel',
]);

const logger = new Logger('Workspace');

/** What a refusal means where its status alone does not tell. */
export function refusalOf(answer: ProviderAnswer): Partial<Failure> | undefined {
  if (answer.status !== 403) return undefined;
  const reasons = reasonsIn(answer);
  if (reasons.some((reason) => QUOTA.has(reason))) return { code: 'rate_limited' };
  if (reasons.some((reason) => OF_THING.has(reason))) return { code: 'rejected' };
  const reason = reasons.find((each) => OF_DEPLOYMENT.has(each));
  if (reason === undefined) return undefined;
  logger.error(`the deployment's project may not use a service of the workspace (${reason})`);
  return { code: 'unavailable' };
}

/** In both forms in which the services tell them. */
function reasonsIn({ body }: ProviderAnswer): readonly string[] {
  const error = isObject(body) ? body['error'] : undefined;
  if (!isObject(error)) return [];
  return [error['errors'], error['details']].flatMap((list) =>
    Array.isArray(list)
      ? list.flatMap((each: unknown) => (isObject(each) && typeof each['reason'] === 'string' ? [each['reason']] : []))
      : [],
  );
}
