import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { Strategy } from 'passport-http-bearer';
import { SCHEMES } from '../http/endpoint/index.ts';
import type { Principal } from '../principals/index.ts';

/**
 * What a strategy is shown of a request: the one header, and who can say whose a token is. Passport and its strategies
 * are one per process, applications may be several, so the strategies hold nothing of an application.
 */
export interface StrategyRequest {
  readonly headers: { readonly authorization: string | undefined };
  readonly verify: (token: string) => Promise<Principal | undefined>;
}

async function validate({ verify }: StrategyRequest, token: string): Promise<Principal | false> {
  return (await verify(token)) ?? false;
}

@Injectable()
export class OwnerTokenStrategy extends PassportStrategy(Strategy, SCHEMES.owner) {
  readonly validate = validate;

  constructor() {
    super({ passReqToCallback: true });
  }
}

@Injectable()
export class ExecutionCapabilityStrategy extends PassportStrategy(Strategy, SCHEMES.execution) {
  readonly validate = validate;

  constructor() {
    super({ passReqToCallback: true });
  }
}

@Injectable()
export class ServiceTokenStrategy extends PassportStrategy(Strategy, SCHEMES.service) {
  readonly validate = validate;

  constructor() {
    super({ passReqToCallback: true });
  }
}
