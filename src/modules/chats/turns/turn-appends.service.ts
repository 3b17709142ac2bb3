import { Injectable } from '@nestjs/common';
import { type Shared, Transactions } from '../../../kernel/database/index.ts';
import { ApiError, type Issue, issueAt } from '../../../kernel/errors/index.ts';
import { ChatSignalsService } from '../chat-signals.service.ts';
import { TurnErrors, TurnIssues } from '../chat.errors.ts';
import { type Append, appendLocks, type AppendRow, appendTexts, type AppendVerdict } from './turn-append.queries.ts';
import type { AppendDto, AppendedDto } from './turn.dto.ts';
import { fenceOf, stateOf } from './turn-leases.service.ts';
import { lockedTurn } from './turn-lease.queries.ts';
import { MESSAGE_LIMITS } from '../messages/message.policy.ts';

const REFUSALS: Readonly<Record<Exclude<AppendVerdict, 'appended' | 'repeated' | 'gap'>, Issue>> = {
  other_text: issueAt('text', TurnIssues.otherText),
  answer_too_long: issueAt(
    'text',
    TurnIssues.answerTooLong,
    `makes the answer longer than ${MESSAGE_LIMITS.answerBytes} bytes: complete the turn with what is stored`,
  ),
  too_many_parts: issueAt(
    'partId',
    TurnIssues.tooManyParts,
    `makes more than the ${MESSAGE_LIMITS.answerParts} parts that an answer may have: append to one of them`,
  ),
};

/** Appends text to answers. The hottest call of all: one round trip, which appends of many turns share. */
@Injectable()
export class TurnAppendsService {
  private readonly appends: Shared<Append, AppendRow>;

  constructor(
    transactions: Transactions,
    private readonly signals: ChatSignalsService,
  ) {
    this.appends = transactions.shared<Append, AppendRow>(
      { keysOf: lockedTurn, statements: (calls) => [appendLocks(calls), appendTexts(calls)] },
      TurnErrors.leaseExpired,
    );
  }

  async append(turnId: string, { partId, offset, text, ...lease }: AppendDto): Promise<AppendedDto> {
    const fence = fenceOf(turnId, lease);
    const row = await this.appends.run({ ...fence, partId, offset, text });
    if (!row) throw new ApiError(TurnErrors.leaseExpired);
    const { verdict } = row;
    if (verdict === 'appended')
      this.signals.message({ ...fence, ...row, messageId: turnId, delta: { partId, offset, text } });
    else if (verdict !== 'repeated') throw new ApiError(TurnErrors.conflict, { issues: [refusal(verdict, row)] });
    return { ...stateOf(row), length: row.length };
  }
}

function refusal(verdict: Exclude<AppendVerdict, 'appended' | 'repeated'>, { length }: AppendRow): Issue {
  if (verdict !== 'gap') return REFUSALS[verdict];
  const message = `is beyond the end of the part, which has ${length} code points: go on from there`;
  return issueAt('offset', TurnIssues.gap, message, { length });
}
