import { Injectable } from '@nestjs/common';
import { Capabilities, type ExecutionClaims } from '../../../kernel/auth/index.ts';

/** The facts that the capability of a turn carries, as statements answer them. */
export interface TokenOfTurn extends Pick<
  ExecutionClaims,
  'organizationId' | 'agentProfileId' | 'profileKey' | 'profileKind' | 'department' | 'generation'
> {
  readonly turnId: string;
  readonly capabilityExpiresAt: string;
}

/** Signs the capabilities of turns. */
@Injectable()
export class TurnTokensService {
  constructor(private readonly capabilities: Capabilities) {}

  issue({ turnId, capabilityExpiresAt, ...turn }: TokenOfTurn): string {
    return this.capabilities.issue({
      organizationId: turn.organizationId,
      agentProfileId: turn.agentProfileId,
      profileKey: turn.profileKey,
      profileKind: turn.profileKind,
      department: turn.department,
      execution: 'chat_turn',
      executionId: turnId,
      mode: null,
      generation: turn.generation,
      expiresAt: capabilityExpiresAt,
    });
  }
}
