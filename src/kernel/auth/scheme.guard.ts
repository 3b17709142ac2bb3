import type { CanActivate, ExecutionContext } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import type { FastifyRequest } from 'fastify';
import { type Scheme, SCHEMES } from '../http/endpoint/index.ts';
import type { Identity } from '../principals/index.ts';
import type { StrategyRequest } from './strategies.ts';

/**
 * Makes a guard over one passport strategy: admits callers whose token the strategy knows, and sets their identity.
 * Passes only the header to the strategy, which would also take tokens from query and body, where they end up in logs.
 */
export function schemeGuard(scheme: Scheme, verify: StrategyRequest['verify']): CanActivate {
  class SchemeGuard extends AuthGuard(SCHEMES[scheme]) {
    override getRequest(context: ExecutionContext): StrategyRequest {
      const { authorization } = context.switchToHttp().getRequest<FastifyRequest>().headers;
      return { headers: { authorization }, verify };
    }

    override handleRequest<User = Identity>(
      error: unknown,
      user: User,
      _info: unknown,
      context: ExecutionContext,
    ): User {
      if (error) throw error;
      if (!user) throw new UnknownToken();
      context.switchToHttp().getRequest<FastifyRequest>().identity = user as unknown as Identity;
      return user;
    }
  }
  return new SchemeGuard();
}

/** The scheme does not know the token; another scheme may. */
export class UnknownToken extends Error {}
