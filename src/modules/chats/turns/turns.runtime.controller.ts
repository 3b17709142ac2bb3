import { Body, Controller, Param, Post, UseInterceptors } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ClaimFiltersService } from '../../agent-profiles/index.ts';
import { withIssues } from '../../../kernel/errors/index.ts';
import { CallerGone, Endpoint, RawBody, type Warned } from '../../../kernel/http/index.ts';
import { BeatDto, LeaseDto, LeaseIssues } from '../../../kernel/leases/index.ts';
import { TurnErrors, TurnIssues } from '../chat.errors.ts';
import { TurnAppendsService } from './turn-appends.service.ts';
import { TurnClaimsService } from './turn-claims.service.ts';
import { TurnEndingsService } from './turn-endings.service.ts';
import { TurnLeasesService } from './turn-leases.service.ts';
import {
  AppendDto,
  AppendedDto,
  CancelledTurnDto,
  ClaimedTurnDto,
  ClaimTurnsDto,
  CompleteTurnDto,
  FailTurnDto,
  TurnHeartbeatDto,
  TurnParams,
  TurnRunningDto,
  TurnStateDto,
} from './turn.dto.ts';

const REPEATS = 'A repeat with the same body gets the same answer.';
import { LostTurnsService } from '../lost-turns/lost-turns.service.ts';

@ApiTags('Internal Chat')
@UseInterceptors(LostTurnsService)
@Controller('internal/chat-turns')
export class TurnsRuntimeController {
  constructor(
    private readonly claims: TurnClaimsService,
    private readonly filters: ClaimFiltersService,
    private readonly leases: TurnLeasesService,
    private readonly appends: TurnAppendsService,
    private readonly endings: TurnEndingsService,
  ) {}

  @Post('claim')
  @Endpoint({
    summary: 'Claim chat turns',
    description:
      'Goes round the organizations, and takes the oldest turn of each first. Each turn is leased at once under a `leaseToken` of its own: send heartbeats until it ends. With `waitSeconds` the call answers as soon as there is a turn, and with an empty array when the time is up or the service stops. What `organizationIds` and `profileKeys` name that nobody has counts for nothing, and `meta.warnings` says so; as found at most 30 s before, and by a claim that got all it asked for only if another one with the same filters has looked.',
    auth: 'service',
    returns: ClaimedTurnDto,
    array: true,
    warns: true,
    message: 'Turns claimed',
  })
  async claim(
    @Body() body: ClaimTurnsDto,
    @CallerGone() gone: AbortSignal,
  ): Promise<ClaimedTurnDto[] | Warned<ClaimedTurnDto[]>> {
    return this.filters.warn(body, await this.claims.claim(body, gone));
  }

  @Post(':turnId/release')
  @Endpoint({
    summary: 'Release a chat turn',
    description:
      'The turn rests so that other turns go first: a second, doubled with each release in a row, at most a minute. A release counts as no attempt. A turn that has begun to stream is a conflict.',
    auth: 'service',
    returns: TurnStateDto,
    message: 'Turn released',
    errors: [TurnErrors.leaseExpired, withIssues(TurnErrors.conflict, TurnIssues.alreadyStreaming)],
  })
  release(@Param() { turnId }: TurnParams, @Body() body: LeaseDto): Promise<TurnStateDto> {
    return this.leases.release(turnId, body);
  }

  @Post(':turnId/running')
  @Endpoint({
    summary: 'Mark a chat turn as running',
    description:
      'Records harness and model. A repeat with the same values changes nothing; with others it is a conflict.',
    auth: 'service',
    returns: TurnStateDto,
    message: 'Turn is running',
    errors: [TurnErrors.leaseExpired, withIssues(TurnErrors.conflict, LeaseIssues.alreadyRunning)],
  })
  running(@Param() { turnId }: TurnParams, @Body() body: TurnRunningDto): Promise<TurnStateDto> {
    return this.leases.running(turnId, body);
  }

  @Post(':turnId/heartbeat')
  @Endpoint({
    summary: 'Renew the lease of a chat turn',
    description:
      'Tells the worker whether a cancel was requested, and gives it its next `executionToken`. With `waitSeconds` the answer comes as soon as a cancel is requested or the turn is over; where `cancelRequested` is true it comes at once, so do not wait any more then. After an outage of the service of at least half a lease, a lease that lapsed meanwhile is still renewed for a whole period.',
    auth: 'service',
    returns: TurnHeartbeatDto,
    message: 'Lease renewed',
    errors: [TurnErrors.leaseExpired],
  })
  heartbeat(
    @Param() { turnId }: TurnParams,
    @Body() body: BeatDto,
    @CallerGone() gone: AbortSignal,
  ): Promise<TurnHeartbeatDto> {
    return this.leases.heartbeat(turnId, body, gone);
  }

  @Post(':turnId/append')
  @Endpoint({
    summary: 'Append text to an answer',
    description:
      'Appends at the end of a part, or begins one; readers of the chat’s events get the text at once. A repeat of text that is stored at that offset changes nothing; a gap, or another text, is a conflict. Does not renew the lease.',
    auth: 'service',
    returns: AppendedDto,
    message: 'Text appended',
    errors: [
      TurnErrors.leaseExpired,
      withIssues(
        TurnErrors.conflict,
        TurnIssues.gap,
        TurnIssues.otherText,
        TurnIssues.answerTooLong,
        TurnIssues.tooManyParts,
      ),
    ],
  })
  append(@Param() { turnId }: TurnParams, @Body() body: AppendDto): Promise<AppendedDto> {
    return this.appends.append(turnId, body);
  }

  @Post(':turnId/complete')
  @Endpoint({
    summary: 'Complete a chat turn',
    description: `The answer is the text that was appended, unless \`parts\` replace it. ${REPEATS}`,
    auth: 'service',
    // An answer of 1 MiB whose every character is escaped.
    bodyLimitBytes: 4 * 1024 * 1024,
    mendsText: true,
    returns: TurnStateDto,
    message: 'Turn completed',
    errors: [TurnErrors.leaseExpired, TurnErrors.conflict],
  })
  complete(
    @Param() { turnId }: TurnParams,
    @Body() body: CompleteTurnDto,
    @RawBody() raw: object,
  ): Promise<TurnStateDto> {
    return this.endings.complete(turnId, body, raw);
  }

  @Post(':turnId/fail')
  @Endpoint({
    summary: 'Fail a chat turn',
    description: `If the error is retryable and attempts are left, discards the text and requeues the turn; else ends it. ${REPEATS}`,
    auth: 'service',
    mendsText: true,
    returns: TurnStateDto,
    message: 'Failure recorded',
    errors: [TurnErrors.leaseExpired, TurnErrors.conflict],
  })
  fail(@Param() { turnId }: TurnParams, @Body() body: FailTurnDto, @RawBody() raw: object): Promise<TurnStateDto> {
    return this.endings.fail(turnId, body, raw);
  }

  @Post(':turnId/cancelled')
  @Endpoint({
    summary: 'Confirm the cancel of a chat turn',
    description: `Ends the turn and keeps the text so far. Without a requested cancel it is a conflict. ${REPEATS}`,
    auth: 'service',
    mendsText: true,
    returns: TurnStateDto,
    message: 'Turn cancelled',
    errors: [TurnErrors.leaseExpired, withIssues(TurnErrors.conflict, TurnIssues.notCancelling)],
  })
  cancelled(
    @Param() { turnId }: TurnParams,
    @Body() body: CancelledTurnDto,
    @RawBody() raw: object,
  ): Promise<TurnStateDto> {
    return this.endings.cancelled(turnId, body, raw);
  }
}
