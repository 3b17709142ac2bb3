import { Injectable } from '@nestjs/common';
import type { ExecutionPrincipal } from '../../../kernel/auth/index.ts';
import type { Sql, Tx } from '../../../kernel/database/index.ts';
import { argumentsDigest } from '../action-digest.ts';
import type { ActionDetailDto } from '../action.dto.ts';
import { ActionEndingService } from '../action-ending.service.ts';
import type { ActionTarget } from '../action-executors.port.ts';
import { type Place, ProposalMakingService } from './proposal-making.service.ts';
import { isMetAgain, nextKey } from './proposal.policy.ts';
import { type NewAction, triesOfKey, unresolvedInPlace } from './proposals.queries.ts';

/** What a module above proposes in an execution's name, where a newer proposal takes the place of an older one. */
export interface SuccessiveProposal extends Pick<ActionTarget, 'kind' | 'connectorKey' | 'toolName' | 'arguments'> {
  /** That the action is to have. */
  readonly id: string;
  readonly integrationId: string;
  readonly title: string;
  readonly summary: string;
  /** What a person is shown in place of the executor's words. */
  readonly preview: string;
  /** Of all proposals of the same, which this key alone tells; a try behind one that came to nothing gets a counter. */
  readonly dedupeKey: string;
  /** Condition of actions `a` of the same task or chat whose place it takes. */
  readonly replaces: Sql;
  /** Why they are cancelled. */
  readonly superseded: string;
  /** Writes down what belongs to the action, behind its row; refuses by what it throws. */
  readonly keep: (tx: Tx, action: NewAction) => Promise<void>;
}

export interface SuccessiveAction {
  /** `under_way` is another one, whose place none can take any more. */
  readonly kind: 'proposed' | 'met' | 'under_way';
  readonly action: ActionDetailDto;
}

/** Takes proposals of which the newest counts, as long as none before it was approved. */
@Injectable()
export class SuccessiveProposalsService {
  constructor(
    private readonly making: ProposalMakingService,
    private readonly endings: ActionEndingService,
  ) {}

  propose(execution: ExecutionPrincipal, proposal: SuccessiveProposal): Promise<SuccessiveAction> {
    return this.making.inPlace(execution, async (tx, at) => {
      const { organizationId } = tx;
      const { dedupeKey, replaces } = proposal;
      const tries = await tx.rows(triesOfKey(organizationId, at.place, dedupeKey));
      const newest = tries.find(({ kind }) => kind === proposal.kind);
      if (newest && isMetAgain(newest.status))
        return { kind: 'met', action: await this.making.received(tx, execution, at, newest.id) };
      const replaced = await tx.rows(unresolvedInPlace(organizationId, at.place, replaces));
      const underWay = replaced.find(({ status }) => status !== 'awaiting_approval');
      if (underWay) return { kind: 'under_way', action: await this.making.received(tx, execution, at, underWay.id) };
      await this.endings.endAll(tx, replaced, {
        move: 'cancel',
        error: { code: 'superseded', message: proposal.superseded },
        actor: execution,
      });
      const key = nextKey(dedupeKey, new Set(tries.map((each) => each.dedupeKey)));
      const action = await this.made(tx, execution, at, proposal, key);
      return { kind: 'proposed', action };
    });
  }

  private async made(
    tx: Tx,
    execution: ExecutionPrincipal,
    at: Place,
    { keep, ...proposal }: SuccessiveProposal,
    dedupeKey: string,
  ): Promise<ActionDetailDto> {
    const { id, integrationId, preview, kind, connectorKey, toolName, arguments: given, title, summary } = proposal;
    const body = { kind, connectorKey, toolName, arguments: { ...given }, title, summary };
    const digest = argumentsDigest(body);
    const action = await this.making.create(tx, execution, at, { body, digest, dedupeKey, id, integrationId, preview });
    await keep(tx, action);
    return this.making.received(tx, execution, at, id);
  }
}
