import { Refused } from './api.ts';

/** The cause of a failure, by which the backend decides whether the attempt counts and when the next one starts. */
type FailureClass = 'transient' | 'config' | 'agent' | 'protocol' | 'infrastructure';

/**
 * Why an agent cannot deliver. The message is sent to the backend unchanged, so it must name what is wrong and where.
 */
export class AgentFailure extends Error {
  readonly code: string;
  readonly errorClass: FailureClass;
  readonly retryable: boolean;
  /** Seconds to wait instead of the backend's backoff. */
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
