/** How work gets done: claims, leases, attempts, logs, artifacts, completion. */
export { RunArtifact } from './artifacts/run-artifact.entity.ts';
export { type ArtifactReader, citedArtifacts } from './artifacts/run-artifacts.queries.ts';
export { RunExpiryService } from './attempts/run-expiry.service.ts';
export { RunCitations } from './retention/run-citations.port.ts';
export { holdLiveRun } from './leases/run-hold.ts';
export { RunBudgetDto } from './leases/run-lease.dto.ts';
export { RunLog } from './logs/run-log.entity.ts';
export {
  authorOf,
  type OutcomeAuthor,
  type OutcomeContext,
  type OutcomeHandler,
  OutcomeHandlers,
  refused,
} from './outcomes/outcome-handlers.port.ts';
export { completedEnd } from './outcomes/completed-outcome.adapter.ts';
export { LessonEvidenceDto, SuggestionDto } from './outcomes/learning-outcome.dto.ts';
export { OutcomeStagingService } from './outcomes/outcome-staging.service.ts';
export { RunOutcome } from './outcomes/run-outcome.entity.ts';
export { StagedOutcomeDto, StageOutcomeDto, StageOutcomeQuery } from './outcomes/staged-outcome.dto.ts';
export { RunErrorDto } from './run.dto.ts';
export { FindingDto } from './run-result.dto.ts';
export { RunIssues } from './run.errors.ts';
export { Run } from './run.entity.ts';
export { isLiveRun, type Outcome, RUN_STATUSES } from './run.state.ts';
export { RunsModule } from './runs.module.ts';
