import { Injectable } from '@nestjs/common';
import { canonicalDigest } from '../../../kernel/crypto/index.ts';
import { Transactions } from '../../../kernel/database/index.ts';
import { activeAccess } from '../../../kernel/tenancy/index.ts';
import { ApiError, EdgeIssues, invalid } from '../../../kernel/errors/index.ts';
import { newId } from '../../../kernel/ids/index.ts';
import type { LeaseDto } from '../../../kernel/leases/index.ts';
import { ActivityLogService } from '../../organizations/index.ts';
import { ChatSignalsService } from '../chat-signals.service.ts';
import { TurnErrors, TurnIssues } from '../chat.errors.ts';
import { cutAnswer } from '../messages/answer-parts.ts';
import type { MessagePart } from '../messages/message.state.ts';
import { endTurn, type FinalCall, type FinalReport, lockTurns } from './turn-ending.queries.ts';
import {
  type CancelledTurnDto,
  type CompleteTurnDto,
  type FailTurnDto,
  SESSION,
  type TurnStateDto,
} from './turn.dto.ts';
import { turnConflict, fenceOf, stateOf } from './turn-leases.service.ts';
import { lockChatOfTurn } from './turn-chat.queries.ts';

/**
 * Ends turns, each exactly once: under the lease, in one round trip and one transaction. A repeat with the same body
 * gets the stored answer.
 */
@Injectable()
export class TurnEndingsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly signals: ChatSignalsService,
    private readonly activity: ActivityLogService,
  ) {}

  async complete(turnId: string, body: CompleteTurnDto, raw: object): Promise<TurnStateDto> {
    refuseRepeatedParts(body.parts ?? []);
    const { usage, title, summary, harnessSessionId: session } = body;
    const parts = body.parts && cutAnswer(body.parts);
    const harnessSessionId = session && session.length <= SESSION.max ? session : undefined;
    return this.end('complete', turnId, body, raw, { usage, parts, title, summary, harnessSessionId });
  }

  fail(turnId: string, body: FailTurnDto, raw: object): Promise<TurnStateDto> {
    const { usage, error } = body;
    return this.end('fail', turnId, body, raw, { usage, error });
  }

  cancelled(turnId: string, body: CancelledTurnDto, raw: object): Promise<TurnStateDto> {
    return this.end('cancelled', turnId, body, raw, { usage: body.usage });
  }

  private async end(
    call: FinalCall,
    turnId: string,
    lease: LeaseDto,
    raw: object,
    said: Omit<FinalReport, 'call' | 'digest' | 'entryId'>,
  ): Promise<TurnStateDto> {
    const fence = fenceOf(turnId, lease);
    const { organizationId } = fence;
    const report = { ...said, call, digest: digestOf(call, raw), entryId: newId() };
    const [, , [row]] = await this.transactions.batch(activeAccess(organizationId, TurnErrors.leaseExpired), [
      lockChatOfTurn(organizationId, turnId),
      lockTurns(organizationId, [turnId]),
      endTurn(fence, report),
    ]);
    if (row?.repeated) return stateOf(row.repeated);
    if (!row?.held) throw new ApiError(TurnErrors.leaseExpired);
    if (!row.permitted) throw turnConflict(TurnIssues.notCancelling);
    this.signals.message({ ...fence, ...row, messageId: turnId, delta: null });
    if (row.status !== 'pending') this.activity.tell(organizationId, row.isHeard);
    if (row.status === 'pending' || row.hasWaitingTurns) this.signals.turnReady(organizationId);
    return stateOf(row);
  }
}

/** Digest of the body as it came, with the call: two calls may have equal bodies. */
function digestOf(call: FinalCall, raw: object): string {
  const { organizationId: _organization, leaseToken: _token, ...body } = raw as LeaseDto;
  return canonicalDigest({ call, ...body });
}

function refuseRepeatedParts(parts: readonly MessagePart[]): void {
  const repeated = parts.findIndex(({ id }, index) => parts.findIndex((other) => other.id === id) < index);
  if (repeated >= 0) throw invalid(`parts.${repeated}.id`, EdgeIssues.duplicateItem, 'is the id of another part');
}
