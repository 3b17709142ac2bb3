import { Injectable } from '@nestjs/common';
import { actorOf } from '../attempts/attempt.ts';
import { AttemptEndingService } from '../attempts/attempt-ending.service.ts';
import { FinalCallsService, finalCallKey } from './final-calls.service.ts';
import type { FailRunDto, RunEndedDto } from './run-completion.dto.ts';
import { type AttemptError, RUN_CANCELLED } from '../attempts/attempt-error.ts';

/** Ends runs that their worker reports as failed. */
@Injectable()
export class RunFailureService {
  constructor(
    private readonly finals: FinalCallsService,
    private readonly endings: AttemptEndingService,
  ) {}

  fail(runId: string, body: FailRunDto, raw: object): Promise<RunEndedDto> {
    const { usage, harness, logState } = body;
    const { code, message, retryable, class: errorClass, retryAfterSeconds = null } = body.error;
    const error: AttemptError = { code, message, class: errorClass, retryable, retryAfterSeconds };
    const report = { usage, harness, logState };
    return this.finals.execute(runId, finalCallKey(body, withDefaults(raw)), {
      report: async () => ({ ...report, error }),
      end: async (tx, attempt) => {
        const actor = actorOf(attempt.run);
        const failed = { ...report, error };
        return attempt.run.cancelRequested
          ? this.endings.cancel(tx, attempt, failed, RUN_CANCELLED, actor)
          : this.endings.fail(tx, attempt, failed, { actor });
      },
    });
  }
}

/** A report without a class equals one that names the default. */
function withDefaults(raw: object): object {
  const { error } = raw as { error: object };
  return { ...raw, error: { class: 'agent', ...error } };
}
