import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock/index.ts';
import { sha256 } from '../../../kernel/crypto/index.ts';
import { type Shared, type Statement, Transactions } from '../../../kernel/database/index.ts';
import { activeAccess } from '../../../kernel/tenancy/index.ts';
import { ApiError, issueAt, type IssueRow } from '../../../kernel/errors/index.ts';
import { Draining } from '../../../kernel/http/index.ts';
import {
  type BeatDto,
  HEARTBEAT_GAP_MS,
  heartbeatIntervalMs,
  HeartbeatLine,
  type LeaseDto,
  LeaseIssues,
} from '../../../kernel/leases/index.ts';
import { Metrics } from '../../../kernel/metrics/index.ts';
import { ChatSignalsService } from '../chat-signals.service.ts';
import { TurnErrors, TurnIssues } from '../chat.errors.ts';
import type { TurnHeartbeatDto, TurnRunningDto, TurnStateDto } from './turn.dto.ts';
import { lockChatOfTurn } from './turn-chat.queries.ts';
import {
  renewTurnLeases,
  markTurnRunning,
  releaseTurn,
  type TurnHeartbeatRow,
  type TurnFence,
  lockedTurn,
  type TurnReleaseRow,
  type TurnRunningRow,
} from './turn-lease.queries.ts';
import { TurnTokensService } from './turn-tokens.service.ts';
import { TURN } from './turn.policy.ts';

/** Marks turns running, renews and releases their leases; each call is one round trip, which heartbeats share. */
@Injectable()
export class TurnLeasesService implements BeforeApplicationShutdown {
  private readonly heartbeats: Shared<TurnFence, TurnHeartbeatRow>;
  private readonly line: HeartbeatLine;

  constructor(
    private readonly transactions: Transactions,
    private readonly tokens: TurnTokensService,
    private readonly signals: ChatSignalsService,
    draining: Draining,
    clock: Clock,
    metrics: Metrics,
  ) {
    this.line = new HeartbeatLine(draining, clock, metrics, 'turn');
    // Its worker's own appends tell it nothing.
    signals.onMessage(({ messageId, delta }) => {
      if (delta === null) this.line.tell(messageId);
    });
    signals.onGap(() => this.line.tellAll());
    this.heartbeats = transactions.shared<TurnFence, TurnHeartbeatRow>(
      { keysOf: lockedTurn, statements: (fences) => [renewTurnLeases(fences)], restMs: HEARTBEAT_GAP_MS },
      TurnErrors.leaseExpired,
    );
  }

  async release(turnId: string, lease: LeaseDto): Promise<TurnStateDto> {
    const fence = fenceOf(turnId, lease);
    const row = await this.alone<TurnReleaseRow>(fence, [releaseTurn(fence)]);
    if (!row.released) throw turnConflict(TurnIssues.alreadyStreaming);
    if (row.hasWaitingTurns) this.signals.turnReady(fence.organizationId);
    return stateOf(row);
  }

  async running(turnId: string, { harness, model, harnessSessionId, ...lease }: TurnRunningDto): Promise<TurnStateDto> {
    const fence = fenceOf(turnId, lease);
    const workplace = { harness, model, harnessSessionId };
    const row = await this.alone<TurnRunningRow>(fence, [
      lockChatOfTurn(fence.organizationId, turnId),
      markTurnRunning(fence, workplace),
    ]);
    if (!row.accepted) throw turnConflict(LeaseIssues.alreadyRunning);
    if (row.noted) this.signals.message({ ...fence, ...row, messageId: turnId, delta: null });
    return stateOf(row);
  }

  /** Number of heartbeats of this process that wait. */
  get waiting(): number {
    return this.line.idle;
  }

  beforeApplicationShutdown(): void {
    this.line.end();
  }

  async heartbeat(turnId: string, beat: BeatDto, gone: AbortSignal): Promise<TurnHeartbeatDto> {
    const fence = fenceOf(turnId, beat);
    // No longer than until the next heartbeat is due.
    const waitMs = Math.min(beat.waitSeconds * 1_000, heartbeatIntervalMs(TURN.leaseSeconds));
    const row = await this.line.hear([turnId], { waitMs, gone }, () => this.renew(fence), isNews);
    return {
      ...stateOf(row),
      leaseExpiresAt: row.leaseExpiresAt,
      executionToken: row.renewed ? this.tokens.issue({ ...row, ...fence }) : null,
    };
  }

  private async renew(fence: TurnFence): Promise<TurnHeartbeatRow> {
    const row = await this.heartbeats.run(fence);
    if (!row) throw new ApiError(TurnErrors.leaseExpired);
    return row;
  }

  /** Runs statements in a transaction of their own; the last one answers, with no row where the lease has lapsed. */
  private async alone<Row>({ organizationId }: TurnFence, statements: readonly Statement[]): Promise<Row> {
    const sets = await this.transactions.batch(activeAccess(organizationId, TurnErrors.leaseExpired), statements);
    const [row] = sets.at(-1) as Row[];
    if (!row) throw new ApiError(TurnErrors.leaseExpired);
    return row;
  }
}

/** What a worker must know at once; its own calls tell it the rest. */
function isNews({ cancelRequested, renewed }: TurnHeartbeatRow): boolean {
  return cancelRequested || renewed;
}

export function fenceOf(turnId: string, { organizationId, leaseToken }: LeaseDto): TurnFence {
  return { organizationId, turnId, tokenHash: sha256(leaseToken) };
}

/** The state that every answer about a turn has. */
export function stateOf({ status, revision, cancelRequested }: TurnStateDto): TurnStateDto {
  return { status, revision, cancelRequested };
}

export function turnConflict(row: IssueRow): ApiError {
  return new ApiError(TurnErrors.conflict, { issues: [issueAt('', row)] });
}
