import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { Strategy } from 'passport-http-bearer';
import { Config } from '../../config/index.ts';
import { isOneOf } from '../crypto/index.ts';
import { OwnerIdentities } from './owner-identities.ts';
import type { OwnerPrincipal, ServicePrincipal } from './principal.ts';

/** Names as the OpenAPI document shows them. */
export const SCHEMES = { owner: 'ownerToken', service: 'agentServiceToken' } as const;

@Injectable()
export class OwnerTokenStrategy extends PassportStrategy(Strategy, SCHEMES.owner) {
  private readonly identities: OwnerIdentities;

  constructor(identities: OwnerIdentities) {
    super();
    this.identities = identities;
  }

  async validate(token: string): Promise<OwnerPrincipal | false> {
    return (await this.identities.identify(token)) ?? false;
  }
}

@Injectable()
export class ServiceTokenStrategy extends PassportStrategy(Strategy, SCHEMES.service) {
  private readonly tokens: readonly string[];

  constructor(config: Config) {
    super();
    this.tokens = config.agentServiceTokens;
  }

  validate(token: string): ServicePrincipal | false {
    return isOneOf(token, this.tokens) && { kind: 'service' };
  }
}
