import { Body, Controller, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { withIssues } from '../../../kernel/errors/index.ts';
import { CallerGone, Endpoint, RawBody } from '../../../kernel/http/index.ts';
import { LeaseDto, LeaseIssues } from '../../../kernel/leases/index.ts';
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

const REPEATS = 'A repeat with the same body answers the same.';

@ApiTags('Internal Chat')
@Controller('internal/chat-turns')
export class InternalChatTurnsController {
  constructor(
    private readonly claims: TurnClaimsService,
    private readonly leases: TurnLeasesService,
    private readonly appends: TurnAppendsService,
    private readonly endings: TurnEndingsService,
  ) {}

  @Post('claim')
  @Endpoint({
    summary: 'Claim chat turns',
    description:
      'Takes turns among the organizations; within one the oldest first. A turn is held at once, under its own `leaseToken`: beat until it ends. With `waitSeconds` the call answers as soon as there is a turn, and an empty array when the time is up or the service stops.',
    auth: 'service',
    returns: ClaimedTurnDto,
    array: true,
    message: 'Turns claimed',
  })
  claim(@Body() body: ClaimTurnsDto, @CallerGone() gone: AbortSignal): Promise<ClaimedTurnDto[]> {
    return this.claims.claim(body, gone);
  }

  @Post(':turnId/release')
  @Endpoint({
    summary: 'Give a chat turn back',
    description:
      'It rests, so that other turns go first: a second, doubled with each release in a row until one begins to stream, at most a minute. No attempt is counted. One that has begun to stream is a conflict.',
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
    summary: 'Say that a chat turn is running, and where',
    description: 'A repeat with the same harness and model changes nothing; with others it is a conflict.',
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
      'Also how a worker hears that it should end, and gets its next `executionToken`. A lease that lapsed while the service itself could take no heartbeat, for half a lease or longer, is renewed all the same until a whole period after that.',
    auth: 'service',
    returns: TurnHeartbeatDto,
    message: 'Lease renewed',
    errors: [TurnErrors.leaseExpired],
  })
  heartbeat(@Param() { turnId }: TurnParams, @Body() body: LeaseDto): Promise<TurnHeartbeatDto> {
    return this.leases.heartbeat(turnId, body);
  }

  @Post(':turnId/append')
  @Endpoint({
    summary: 'Append text to an answer',
    description:
      'At the end of a part, or as its beginning; whoever follows the chat sees it at once. What is stored at that offset already changes nothing; a gap, or another text, is a conflict. Does not renew the lease.',
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
    description: `The answer is what was appended, unless \`parts\` replace it. ${REPEATS}`,
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
    summary: 'Say that a chat turn has failed',
    description: `While it is retryable and attempts are left, the text is thrown away and the turn waits again; else it ends. ${REPEATS}`,
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
    summary: 'Say that a chat turn has ended as its owner wished',
    description: `Only after a cancel, else it is a conflict; the text so far is kept. ${REPEATS}`,
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
