import { Refused } from './api.ts';

/** Whose fault a failure is; the backend decides by it whether the attempt counts and when the next one comes. */
type FailureClass = 'transient' | 'config' | 'agent' | 'protocol' | 'infrastructure';

/** Why an agent cannot deliver. It goes to the backend as it is, so it names what is wrong and where. */
export class AgentFailure extends Error {
  readonly code: string;
  readonly errorClass: FailureClass;
  readonly retryable: boolean;
  /** Instead of the backend's backoff. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: string,
    message: string,
    errorClass: FailureClass = 'agent',
    retryable = false,
    retryAfterSeconds?: number,
  ) {
    super(message);
    this.code = code;
    this.errorClass = errorClass;
    this.retryable = retryable;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export function failureOf(error: Error): AgentFailure {
  if (error instanceof AgentFailure) return error;
  if (error instanceof Refused) return new AgentFailure('refused', error.message, 'protocol', true);
  return new AgentFailure('agent_crashed', error.message, 'agent', true);
}
