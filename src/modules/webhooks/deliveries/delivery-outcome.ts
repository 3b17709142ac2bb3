import type { EgressResult } from '../../../kernel/egress/index.ts';
import type { AttemptedDelivery, ClaimedDelivery } from './deliveries.queries.ts';
import { pauseMs, retryAfterMs } from './delivery.policy.ts';

/** How a request of an attempt ended: with an answer, without one, or before there was a request. */
export type AttemptEnd = EgressResult | { readonly refusal: 'secret_unreadable' };

const GONE = 410;

/** What an attempt makes of its delivery. */
export function outcomeOf(
  { attemptCount, isTest }: ClaimedDelivery,
  end: AttemptEnd,
  latencyMs: number,
): AttemptedDelivery {
  const attempt = {
    status: 'refusal' in end ? null : end.status,
    error: 'refusal' in end ? end.refusal : null,
    latencyMs,
  };
  const isAnswered = !('refusal' in end);
  if (isAnswered && end.status >= 200 && end.status < 300)
    return { status: 'delivered', reason: null, pauseMs: null, attempt };
  if (isAnswered && end.status === GONE) return { status: 'dead', reason: 'gone', pauseMs: null, attempt };
  const wanted = isAnswered ? retryAfterMs(end.headers['retry-after']) : 0;
  const pause = isTest ? undefined : pauseMs(attemptCount + 1, wanted);
  if (pause === undefined) return { status: 'dead', reason: 'attempts_exhausted', pauseMs: null, attempt };
  return { status: 'failed', reason: null, pauseMs: pause, attempt };
}
