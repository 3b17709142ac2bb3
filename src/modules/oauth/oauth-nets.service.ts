import { Injectable } from '@nestjs/common';
import { Egress, egressFetch } from '../../kernel/egress/index.ts';
import { OAUTH } from './oauth.policy.ts';

/** For whom an authorization server is asked. */
export interface OauthAsker {
  readonly organizationId: string;
  readonly integrationId: string;
  readonly blockedDomains: readonly string[];
}

/** The ways out to authorization servers: each request only to an address that is approved. */
@Injectable()
export class OauthNetsService {
  constructor(private readonly egress: Egress) {}

  to(
    { organizationId, integrationId, blockedDomains }: OauthAsker,
    approves: (address: string) => boolean,
    leavesUntilMs?: number,
  ): typeof fetch {
    return async (input, init) => {
      const address = input instanceof Request ? input.url : String(input);
      if (!approves(address)) throw new TypeError('the address is not approved');
      const send = egressFetch(this.egress, {
        hosts: [new URL(address).origin],
        limits: { totalMs: OAUTH.requestMs, maxBytes: OAUTH.documentBytes },
        organization: { id: organizationId, blockedDomains },
        places: `oauth ${integrationId}`,
        ...(leavesUntilMs === undefined ? {} : { leavesUntilMs }),
      });
      return send(input, init);
    };
  }
}
