import type { EgressResult } from '../../kernel/egress/index.ts';
import type { ActionToSend, Sent } from '../actions/index.ts';

/** What a webhook is called with. The arguments stand in it as the text that was approved. */
export function callBody(
  { id, reference, taskId, argumentsText }: Pick<ActionToSend, 'id' | 'reference' | 'taskId' | 'argumentsText'>,
  at: Date,
): string {
  const head = JSON.stringify({ actionId: id, reference, taskId });
  const timestamp = at.toISOString().replace('Z', '000Z');
  return `{"type":"action.call","timestamp":"${timestamp}","data":{${head.slice(1, -1)},"arguments":${argumentsText}}}`;
}

/** Answers of 4xx after which the receiver may have done it, or may do it later. */
const UNCERTAIN = new Set([408, 409, 425]);

/** What an answer, or none, says of a call. */
export function sentOf(result: EgressResult): Sent {
  if ('refusal' in result) {
    const error = { code: result.refusal, message: MESSAGES[result.refusal] ?? 'The receiver could not be reached.' };
    return result.sent ? { outcome: 'ambiguous', error } : { outcome: 'not_executed', error };
  }
  const { status } = result;
  if (status >= 200 && status < 300) return { outcome: 'succeeded', result: { status } };
  const error = { code: 'rejected', message: `The receiver answered ${status}.`, providerStatus: status };
  if (status >= 300 && status < 500 && !UNCERTAIN.has(status)) return { outcome: 'failed', error };
  return { outcome: 'ambiguous', error: { ...error, code: 'unclear_answer' } };
}

const MESSAGES: Readonly<Record<string, string>> = {
  timeout: 'The receiver did not answer in time.',
  blocked_domain: 'The organization blocks the domain of the webhook.',
  refused_address: 'The host of the webhook has an address that is not public.',
};
