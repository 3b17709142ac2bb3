import type { ExecutionPrincipal } from '../../../kernel/auth/index.ts';
import type { Tx } from '../../../kernel/database/index.ts';
import { ApiError, EdgeErrors, EdgeIssues, type Issue, issueAt, type IssueRow } from '../../../kernel/errors/index.ts';
import type { Actor } from '../../organizations/index.ts';
import type { TaskKind } from '../../tasks/index.ts';
import type { AttemptRun } from '../attempts/attempt.queries.ts';
import type { Attempt } from '../attempts/attempt.ts';
import type { Outcome, OutcomeKind } from '../run.state.ts';
import { RunIssues } from '../run.errors.ts';

export interface OutcomeContext<Kind extends Outcome = Outcome, Held = unknown> {
  readonly tx: Tx;
  readonly attempt: Attempt;
  readonly outcome: Kind;
  /** The answer of `lock`. */
  readonly held: Held;
  readonly actor: Actor;
}

/** On whose behalf an outcome is looked at. */
export interface OutcomeAuthor {
  /** The run, as its token names it. */
  readonly execution: Omit<ExecutionPrincipal, 'generation' | 'expiresAt' | 'scope'>;
  readonly taskId: string;
}

export function authorOf(
  organizationId: string,
  { run: { id, agentProfileId, profileKey, profileKind, department, mode }, task }: Attempt,
): OutcomeAuthor {
  const profile = { agentProfileId, profileKey, profileKind, department };
  return {
    execution: { kind: 'execution', organizationId, ...profile, execution: 'task_run', executionId: id, mode },
    taskId: task.id,
  };
}

/** Moves the task for one kind of outcome, in the transaction of the completion. */
export interface OutcomeHandler<Kind extends Outcome = Outcome, Held = unknown> {
  /**
   * Answers why a well-formed outcome would be refused now. Asked when an agent stages it, so that the agent can still mend
   * it; what may change until the run completes, `apply` looks at again.
   */
  check?(tx: Tx, author: OutcomeAuthor, outcome: Kind): Promise<readonly Issue[]>;
  /** Whether an issue is about a state that may change, a 409; any but an unknown reference unless said. */
  isConflict?(issue: Issue): boolean;
  /** Takes locks that precede the task's in the order of locks. */
  lock?(tx: Tx, run: AttemptRun, outcome: Kind): Promise<Held>;
  /** Moves the task. The run and its request are closed already. */
  apply(context: OutcomeContext<Kind, Held>): Promise<void>;
}

/** Port: other modules register the handlers of outcomes whose entities are theirs. */
export class OutcomeHandlers {
  private readonly handlers = new Map<OutcomeKind, OutcomeHandler>();

  register<Kind extends Outcome, Held>(kind: Kind['kind'], handler: OutcomeHandler<Kind, Held>): void {
    this.handlers.set(kind, handler);
  }

  of({ kind }: Outcome): OutcomeHandler {
    const handler = this.handlers.get(kind);
    if (handler) return handler;
    throw notPermitted(`A run of this task cannot end in an outcome of kind "${kind}".`);
  }
}

/** Of 400 where no issue is about a state that may change; else 409. `path` is where the outcome stands in the call. */
export function refused(handler: OutcomeHandler, issues: readonly Issue[], path = ''): ApiError {
  const isConflict = (issue: Issue) => handler.isConflict?.(issue) ?? issue.code !== EdgeIssues.unknownReference.code;
  const row = issues.some(isConflict) ? EdgeErrors.stateConflict : EdgeErrors.validationFailed;
  return new ApiError(row, { issues: issues.map((issue) => ({ ...issue, path: path + issue.path })) });
}

/** 409: no run of a task of this kind may end so. */
export function otherTaskKind(kind: TaskKind, path: string): ApiError {
  const message =
    kind === 'learning'
      ? 'A run of a learning task ends in what was learned, or waits.'
      : 'The task of this run is none of kind "learning".';
  return conflict(RunIssues.outcomeNotPermitted, message, path);
}

/** 409: the run stays alive and may end in something else. */
export function notPermitted(message: string): ApiError {
  return conflict(RunIssues.outcomeNotPermitted, message, 'output.result.kind');
}

export function conflict(row: IssueRow, message: string, path: string): ApiError {
  return new ApiError(EdgeErrors.stateConflict, { message, issues: [issueAt(path, row, message)] });
}
