import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../kernel/database/index.ts';
import { type ProfileFollower, ProfileRemoved } from '../../agent-profiles/index.ts';
import { ActionExpiryService } from './action-expiry.service.ts';

/** Expires what disabled and deleted profiles proposed and nobody has sent. */
@Injectable()
export class DisabledProfiles implements ProfileFollower {
  constructor(
    private readonly expiry: ActionExpiryService,
    profiles: ProfileRemoved,
  ) {
    profiles.register(this);
  }

  profileDisabled(tx: Tx, agentProfileId: string | null): void {
    this.expiry.changed(tx, agentProfileId === null ? {} : { agentProfileId });
  }
}
