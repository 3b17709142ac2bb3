import type { Tx } from '../../../kernel/database/index.ts';
import { ApiError, EdgeErrors, EdgeIssues, invalid, issueAt, type IssueRow } from '../../../kernel/errors/index.ts';
import type { Actor } from '../../organizations/index.ts';
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

/** Moves the task for one kind of outcome, in the transaction of the completion. */
export interface OutcomeHandler<Kind extends Outcome = Outcome, Held = unknown> {
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
    const names = NAMES[kind];
    if (names) throw invalid(`output.result.${names.path}`, EdgeIssues.unknownReference, `names no ${names.entity}`);
    throw notPermitted(`A run of this task cannot end in an outcome of kind "${kind}".`);
  }
}

/** The fields in which a kind names entities of another module: without the module every such name is unknown. */
const NAMES: Partial<Record<OutcomeKind, { readonly path: string; readonly entity: string }>> = {
  integration_wait: { path: 'requirements.0', entity: 'connector of this organization' },
};

/** 409: the run stays alive and may end in something else. */
export function notPermitted(message: string): ApiError {
  return conflict(RunIssues.outcomeNotPermitted, message, 'output.result.kind');
}

export function conflict(row: IssueRow, message: string, path: string): ApiError {
  return new ApiError(EdgeErrors.stateConflict, { message, issues: [issueAt(path, row, message)] });
}
