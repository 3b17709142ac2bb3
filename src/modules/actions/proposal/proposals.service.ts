import { Injectable } from '@nestjs/common';
import type { ExecutionPrincipal } from '../../../kernel/auth/index.ts';
import { ApiError } from '../../../kernel/errors/index.ts';
import { Existing } from '../../../kernel/http/index.ts';
import { argumentsDigest } from '../action-digest.ts';
import type { ActionDetailDto } from '../action.dto.ts';
import { ActionErrors } from '../action.errors.ts';
import { ProposalMakingService } from './proposal-making.service.ts';
import type { ProposeActionDto } from './proposal.dto.ts';
import { isSameProposal } from './proposal.policy.ts';
import { proposalOfKey } from './proposals.queries.ts';

/** Takes proposals of executions; the same one again meets the action that it has become. */
@Injectable()
export class ProposalsService {
  constructor(private readonly making: ProposalMakingService) {}

  propose(execution: ExecutionPrincipal, body: ProposeActionDto): Promise<ActionDetailDto | Existing<ActionDetailDto>> {
    const digest = argumentsDigest(body);
    const dedupeKey = body.dedupeKey ?? digest;
    return this.making.inPlace(execution, async (tx, at) => {
      const [known] = await tx.rows(proposalOfKey(tx.organizationId, at.place, dedupeKey));
      if (known && !isSameProposal(known, { kind: body.kind, argumentsDigest: digest }))
        throw new ApiError(ActionErrors.stateConflict, {
          message: 'The key is of another action of this task or chat; name another one.',
        });
      const { id } = known ?? (await this.making.create(tx, execution, at, { body, digest, dedupeKey }));
      const action = await this.making.received(tx, execution, at, id);
      return known ? new Existing(action) : action;
    });
  }

  /** The action of the same proposal before, with a receipt of it; undefined where there is none. Proposes nothing. */
  met(
    execution: ExecutionPrincipal,
    body: Pick<ProposeActionDto, 'kind' | 'connectorKey' | 'toolName' | 'arguments' | 'dedupeKey'>,
  ): Promise<ActionDetailDto | undefined> {
    const digest = argumentsDigest(body);
    return this.making.inPlace(execution, async (tx, at) => {
      const [known] = await tx.rows(proposalOfKey(tx.organizationId, at.place, body.dedupeKey ?? digest));
      if (!known || !isSameProposal(known, { kind: body.kind, argumentsDigest: digest })) return undefined;
      return this.making.received(tx, execution, at, known.id);
    });
  }
}
