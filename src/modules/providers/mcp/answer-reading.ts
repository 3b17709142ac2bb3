import { type Failure, type FailureCode, ProviderFailure, type SentCall } from '../../integrations/index.ts';
import type { JsonObject } from '../wire/index.ts';
import type { RpcExchange } from './rpc-exchange.ts';

/** Statuses with which a server says that it did not do what was asked. */
const REFUSALS = new Set([400, 401, 403, 404, 405, 406, 413, 415, 422, 429]);
/** Errors of the protocol that come before a tool runs. */
const REFUSED = new Set([-32_700, -32_600, -32_601, -32_602, -32_020, -32_021, -32_022]);
/** Refusals of a request that another revision of the protocol would have put otherwise. */
const ERA_ERRORS = new Set([-32_022, -32_601, -32_600, -32_000]);
const ERA_STATUSES = new Set([400, 404, 405]);

/** A call's answer as the protocol has it. */
export type CallReading =
  | { readonly kind: 'result'; readonly result: JsonObject }
  | { readonly kind: 'tool_error'; readonly result: JsonObject }
  | { readonly kind: 'input_required' }
  | { readonly kind: 'failure'; readonly failure: Failure; readonly outcome: 'failed' | 'not_executed' | 'ambiguous' };

/**
 * Reads what a call came to, for reads and writes alike. Whatever does not prove that a server refused, or that nothing
 * left, is ambiguous.
 */
export function readingOf(exchange: RpcExchange): CallReading {
  const { status, answer, failure } = exchange;
  if (failure) return failed(exchange, failure.sent ? 'ambiguous' : 'not_executed');
  if (status === undefined) return failed(exchange, 'ambiguous');
  if ((status >= 300 && status < 400) || REFUSALS.has(status)) return failed(exchange, 'failed');
  if (status >= 300 || !answer) return failed(exchange, 'ambiguous');
  if ('error' in answer) return failed(exchange, REFUSED.has(answer.error.code) ? 'failed' : 'ambiguous');
  const { result } = answer;
  const { resultType = 'complete' } = result;
  if (resultType === 'input_required') return { kind: 'input_required' };
  if (resultType !== 'complete') return failed(exchange, 'ambiguous');
  if (result.isError === true) return { kind: 'tool_error', result };
  const hasContent = Array.isArray(result.content) || result.structuredContent !== undefined;
  return hasContent ? { kind: 'result', result } : failed(exchange, 'ambiguous');
}

function failed(exchange: RpcExchange, outcome: 'failed' | 'not_executed' | 'ambiguous'): CallReading {
  return { kind: 'failure', failure: failureOf(exchange), outcome };
}

/** Why a request that was to be answered was not. */
export function failureOf(exchange: RpcExchange): Failure {
  const { status = null, retryAfterSeconds = null, requiredScopes, failure, isTooLarge } = exchange;
  return {
    code: codeOf(exchange),
    status,
    retryAfterSeconds,
    sent: failure?.sent ?? true,
    ...(isTooLarge === true ? { reason: 'result_too_large' } : {}),
    ...(requiredScopes === undefined ? {} : { requiredScopes }),
  };
}

function codeOf({ status, answer, failure, isTooLarge }: RpcExchange): FailureCode {
  if (isTooLarge === true) return 'bad_answer';
  if (status === 401) return 'credential_refused';
  if (status === 403) return 'scope_lost';
  if (status === 429) return 'rate_limited';
  if (failure) return failure.refusal === 'encoded' ? 'bad_answer' : 'unavailable';
  if (status === undefined || status >= 500 || status === 408) return 'unavailable';
  if (answer && 'error' in answer) return answer.error.code === -32_602 ? 'rejected' : 'bad_answer';
  return status === 400 || status === 422 ? 'rejected' : 'bad_answer';
}

/** Whether a server may understand the request in another revision of the protocol. */
export function isEraError({ status = 0, answer, failure }: RpcExchange): boolean {
  if (failure) return false;
  if (answer && 'error' in answer) return ERA_ERRORS.has(answer.error.code);
  return !answer && ERA_STATUSES.has(status);
}

/** What became of a write that did not succeed. */
export function unsuccessful(reading: Exclude<CallReading, { kind: 'result' }>): SentCall {
  if (reading.kind !== 'failure') return { outcome: 'failed', error: { code: reading.kind, status: 200 } };
  const { failure, outcome } = reading;
  const code = failure.reason ?? (failure.code === 'rejected' ? 'provider_rejected' : failure.code);
  const { status, requiredScopes } = failure;
  return { outcome, error: { code, status, ...(requiredScopes === undefined ? {} : { requiredScopes }) } };
}

/** Ends a read that the server did not answer. */
export function refuseInput(): never {
  throw new ProviderFailure({
    code: 'rejected',
    status: 200,
    retryAfterSeconds: null,
    sent: true,
  });
}
