import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { Strategy } from 'passport-http-bearer';
import { SCHEMES } from '../http/endpoint/index.ts';
import type { Identity } from '../principals/index.ts';

/**
 * What a strategy gets of a request: the one header, and the function that identifies a token. Strategies hold nothing
 * of an application, because a process has one Passport but may have several applications.
 */
export interface StrategyRequest {
  readonly headers: { readonly authorization: string | undefined };
  readonly verify: (token: string) => Promise<Identity | undefined>;
}

async function validate({ verify }: StrategyRequest, token: string): Promise<Identity | false> {
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
export class GatewayCapabilityStrategy extends PassportStrategy(Strategy, SCHEMES.gateway) {
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
