import {
  type CallFailure,
  type FailureCode,
  ProviderFailure,
  type ProviderNet,
  type SentCall,
  type ToolOutput,
} from '../../integrations/index.ts';
import { exchange } from './provider-exchange.ts';
import { type Classify, failureOfStatus } from './provider-failure.ts';
import type { ProviderAnswer, ProviderRequest } from './provider-request.ts';

/** Statuses of refusals behind which a write may have been done nevertheless. */
const UNCERTAIN = new Set([408, 409]);

/**
 * Sends a write, once. A success is read by `read`; one that cannot be read is ambiguous, since it may have been done. A
 * complete refusal but 408 and 409, and a redirect, which nobody follows, are proof that it was not done; so is a request
 * of which nothing has left.
 */
export async function sendOnce(
  net: ProviderNet,
  request: ProviderRequest,
  read: (answer: ProviderAnswer) => ToolOutput,
  classify?: Classify,
): Promise<SentCall> {
  try {
    const answer = await exchange(net, request);
    const { status } = answer;
    if (status >= 200 && status < 300) return { outcome: 'succeeded', result: read(answer) };
    const isRefusal = status >= 300 && status < 500 && !UNCERTAIN.has(status);
    const { code, reason } = { ...failureOfStatus(answer), ...classify?.(answer) };
    return { outcome: isRefusal ? 'failed' : 'ambiguous', error: { code: wordOf(code, reason), status } };
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error;
    const { code, reason, status, sent } = error.failure;
    return { outcome: sent ? 'ambiguous' : 'not_executed', error: { code: wordOf(code, reason), status } };
  }
}

function wordOf(code: FailureCode, reason: string | undefined): CallFailure['code'] {
  return reason ?? (code === 'rejected' ? 'provider_rejected' : code);
}
