import { Body, Controller, Param, Post, UseInterceptors } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { EdgeErrors, withIssues } from '../../../kernel/errors/index.ts';
import { Endpoint, RawBody } from '../../../kernel/http/index.ts';
import { TaskErrors } from '../../tasks/index.ts';
import { CompleteRunDto, FailRunDto, RunEndedDto } from './run-completion.dto.ts';
import { RunCompletionService } from './run-completion.service.ts';
import { RunFailureService } from './run-failure.service.ts';
import { RunErrors, RunIssues } from '../run.errors.ts';
import { RunParams } from '../run.dto.ts';

const LENIENT =
  'Texts that are too long are cut with `…`, and characters that cannot be stored are replaced, so that a call is refused only for its lease or its meaning.';
const REPEATS = 'A repeat with the same body gets the same answer for a day; another body is a conflict.';
import { LostRunsService } from '../leases/lost-runs.service.ts';

@ApiTags('Internal Runs')
@UseInterceptors(LostRunsService)
@Controller('internal/runs/:runId')
export class RunCompletionController {
  constructor(
    private readonly completion: RunCompletionService,
    private readonly failure: RunFailureService,
  ) {}

  @Post('complete')
  @Endpoint({
    operationId: 'runs.complete',
    summary: 'Complete a run',
    description: `Ends the run in its outcome and moves its task. A run in mode \`plan\` or \`verify\`, and a run that ends in a plan, must stage the outcome first; the worker’s \`result\` then repeats its kind and summary. Completing without it is a conflict that ends the run as failed (\`outcome_missing\`). A task that was cancelled meanwhile stays cancelled: the answer’s \`status\` is \`cancelled\`. An artifact’s \`sha256\` must name bytes that this run stored (else 400 \`unknown_reference\`), whose size replaces the reported one. ${LENIENT} ${REPEATS}`,
    auth: 'service',
    // 100 artifacts with all that may be said of each.
    bodyLimitBytes: 4 * 1024 * 1024,
    mendsText: true,
    returns: RunEndedDto,
    message: 'Run completed; dependent work was reconciled',
    errors: [
      RunErrors.leaseExpired,
      // What a staged lesson rests on may have gone since.
      withIssues(EdgeErrors.validationFailed, RunIssues.sourceRequired, RunIssues.pathMismatch),
      withIssues(
        EdgeErrors.stateConflict,
        RunIssues.outcomeNotPermitted,
        RunIssues.outcomeDiffers,
        RunIssues.outcomeReplaced,
        RunIssues.outcomeMissing,
        RunIssues.unresolvedActions,
        RunIssues.unnamedAction,
        RunIssues.staleReceipt,
        RunIssues.endedOtherwise,
        RunIssues.taskRetried,
        RunIssues.memoryRevisionStale,
        RunIssues.watermarkBackwards,
        // A staged plan may have become impossible since.
        ...TaskErrors.planRefused.issues,
      ),
    ],
  })
  complete(@Param() { runId }: RunParams, @Body() body: CompleteRunDto, @RawBody() raw: object): Promise<RunEndedDto> {
    return this.completion.complete(runId, body, raw);
  }

  @Post('fail')
  @Endpoint({
    operationId: 'runs.fail',
    summary: 'Report a run as failed',
    description: `A retryable failure is retried with backoff while attempts and budget are left; any other fails the task. If an owner requested cancellation, the run ends as \`cancelled\`. ${LENIENT} ${REPEATS}`,
    auth: 'service',
    mendsText: true,
    returns: RunEndedDto,
    message: 'Failure recorded',
    errors: [
      RunErrors.leaseExpired,
      withIssues(EdgeErrors.stateConflict, RunIssues.endedOtherwise, RunIssues.taskRetried),
    ],
  })
  fail(@Param() { runId }: RunParams, @Body() body: FailRunDto, @RawBody() raw: object): Promise<RunEndedDto> {
    return this.failure.fail(runId, body, raw);
  }
}
