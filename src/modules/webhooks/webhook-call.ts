import type { EgressResult, Refusal } from '../../kernel/egress/index.ts';
import type { ActionError, ActionToSend, Sent } from '../actions/index.ts';

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
    const { refusal, sent } = result;
    if (sent) return { outcome: 'ambiguous', error: UNANSWERED[refusal] ?? UNREADABLE };
    const message = UNSENT[refusal] ?? 'The receiver could not be reached.';
    return { outcome: 'not_executed', error: { code: refusal, message } };
  }
  const { status } = result;
  if (status >= 200 && status < 300) return { outcome: 'succeeded', result: { status } };
  const error = { code: 'rejected', message: `The receiver answered ${status}.`, providerStatus: status };
  if (status >= 300 && status < 500 && !UNCERTAIN.has(status)) return { outcome: 'failed', error };
  return { outcome: 'ambiguous', error: { ...error, code: UNREADABLE.code } };
}

/** Why a person has to find out what became of a call: none of these may read as if nothing had left. */
const UNANSWERED: Readonly<Partial<Record<Refusal, ActionError>>> = {
  unreachable: { code: 'no_answer', message: 'The call was sent, and the connection ended without an answer.' },
  timeout: { code: 'timeout', message: 'The call was sent, and no answer came in time.' },
  aborted: { code: 'aborted', message: 'The call was sent, and the service stopped waiting for its answer.' },
};
const UNREADABLE: ActionError = {
  code: 'unclear_answer',
  message: 'The call was sent, and its answer could not be read.',
};

/** Why nothing has left, for certain. */
const UNSENT: Readonly<Partial<Record<Refusal, string>>> = {
  timeout: 'The receiver could not be connected to in time.',
  aborted: 'The service stopped before anything was sent.',
  blocked_domain: 'The organization blocks the domain of the webhook.',
  refused_address: 'The host of the webhook has an address that is not public.',
};
