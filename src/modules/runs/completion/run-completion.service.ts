import { Injectable } from '@nestjs/common';
import { canonicalDigest } from '../../../kernel/crypto/index.ts';
import type { Tx } from '../../../kernel/database/index.ts';
import { issueAt } from '../../../kernel/errors/index.ts';
import { actorOf, type Attempt } from '../attempts/attempt.ts';
import type { AttemptRun } from '../attempts/attempt.queries.ts';
import { AttemptEndingService } from '../attempts/attempt-ending.service.ts';
import type { FinalReport } from '../attempts/attempt-ending.queries.ts';
import { giveLocksBack, markLocks } from './final-calls.queries.ts';
import { FinalCallsService, finalCallKey } from './final-calls.service.ts';
import { PlainCompletionsService } from './plain-completions.service.ts';
import type { CompleteRunDto, RunEndedDto } from './run-completion.dto.ts';
import { OUTCOME_MISSING } from '../attempts/attempt-error.ts';
import { conflict, notPermitted, otherTaskKind, OutcomeHandlers } from '../outcomes/outcome-handlers.port.ts';
import { withStoredSizes } from '../artifacts/delivered-artifacts.ts';
import { mayEndIn, type Outcome, OUTCOME_MODES, type OutcomeKind, WAITS } from '../run.state.ts';
import { checkWorkerResult, outcomeOf } from './worker-result.ts';
import { RunIssues } from '../run.errors.ts';

/** Kinds that only an agent can stage. */
const AGENT_OWNED: ReadonlySet<OutcomeKind> = new Set(['planned', 'verification', 'learning']);

/** Completes runs: finds the outcome, whose kind decides how the task moves. */
@Injectable()
export class RunCompletionService {
  constructor(
    private readonly plain: PlainCompletionsService,
    private readonly finals: FinalCallsService,
    private readonly endings: AttemptEndingService,
    private readonly handlers: OutcomeHandlers,
  ) {}

  async complete(runId: string, body: CompleteRunDto, raw: object): Promise<RunEndedDto> {
    const { output, usage, receipts, harness, workspaceUri, logState } = body;
    const { result } = output;
    checkWorkerResult(result);
    const report = { usage, receipts, harness, workspaceUri, logState };
    const call = finalCallKey(body, raw);
    if (result.kind === 'completed') {
      const ended = await this.plain.complete(runId, call, { kind: output.kind, result: outcomeOf(result) }, report);
      if (ended) return ended;
    }
    let digest: string | undefined;
    let held: unknown;
    return this.finals.execute(runId, call, {
      report: async (tx) => {
        const stored = await withStoredSizes(tx, runId, result);
        return { ...report, output: { kind: output.kind, result: stored } };
      },
      lock: async (tx, run) => {
        digest = run.staged?.digest;
        const outcome = resolve(run, result);
        const handler = outcome && this.handlers.of(outcome);
        if (!handler?.lock) return undefined;
        await tx.rows(markLocks());
        held = await handler.lock(tx, run, outcome!);
        return () => tx.rows(giveLocksBack());
      },
      end: async (tx, attempt) => {
        const { run } = attempt;
        // The agent replaced its outcome before the run was locked: the locks are those of the other outcome.
        if (run.staged?.digest !== digest)
          throw conflict(RunIssues.outcomeReplaced, 'The staged outcome was just replaced.', '');
        if (!mayEndIn(attempt.task.kind, result.kind)) throw otherTaskKind(attempt.task.kind, 'output.result.kind');
        const resolved = resolve(run, result);
        const outcome = resolved && (await withStoredSizes(tx, runId, resolved));
        if (!outcome) return this.endWithoutOutcome(tx, attempt, report);
        if (run.unresolvedActions && concludes(outcome))
          throw conflict(RunIssues.unresolvedActions, RunIssues.unresolvedActions.message, 'output.result.kind');
        const actor = actorOf(run);
        const ended = { ...report, output: { kind: output.kind, result: outcome } };
        await this.endings.succeed(tx, attempt, ended, actor);
        await this.handlers.of(outcome).apply({ tx, attempt, outcome, held, actor });
      },
    });
  }

  /** Ends the run as a failure of protocol, so that a broken runtime cannot repeat for ever; no other conflict ends a run. */
  private async endWithoutOutcome(tx: Tx, attempt: Attempt, report: FinalReport) {
    const actor = actorOf(attempt.run);
    await this.endings.fail(tx, attempt, { ...report, error: OUTCOME_MISSING }, { actor });
    return issueAt('output.result', RunIssues.outcomeMissing);
  }
}

/** Whether the task moves on with an outcome as if everything were done: not while actions of it are unresolved. */
function concludes(outcome: Outcome): boolean {
  if (outcome.kind === 'verification') return (outcome as { verdict?: string }).verdict === 'accepted';
  return outcome.kind === 'completed' || outcome.kind === 'planned';
}

/**
 * The outcome that the run ends in: the staged one, where there is one, and else the worker's own. Undefined where an
 * agent's outcome is missing; 409, with the run alive, where worker and agent do not say the same.
 */
function resolve(run: AttemptRun, result: CompleteRunDto['output']['result']): Outcome | undefined {
  if (!OUTCOME_MODES[result.kind].includes(run.mode))
    throw notPermitted(`A run in mode "${run.mode}" cannot end in an outcome of kind "${result.kind}".`);
  const { staged } = run;
  if (staged) {
    if (staged.outcome.kind !== result.kind)
      throw conflict(
        RunIssues.outcomeDiffers,
        `The agent staged a "${staged.outcome.kind}" outcome.`,
        'output.result.kind',
      );
    const full = result.staged ?? (result.kind === 'handoff' && result.inboxItemId ? outcomeOf(result) : undefined);
    if (full && canonicalDigest(full) !== staged.digest)
      throw conflict(
        RunIssues.outcomeDiffers,
        'The outcome differs from the one that the agent staged.',
        'output.result',
      );
    return staged.outcome;
  }
  const owned = AGENT_OWNED.has(result.kind) || (run.mode !== 'execute' && !WAITS.has(result.kind));
  return owned ? undefined : outcomeOf(result);
}
