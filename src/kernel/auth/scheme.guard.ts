import type { CanActivate, ExecutionContext } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import type { FastifyRequest } from 'fastify';
import { type Scheme, SCHEMES } from '../http/endpoint/index.ts';
import type { Principal } from '../principals/index.ts';
import type { StrategyRequest } from './strategies.ts';

/**
 * A guard over one passport strategy: lets in whom the strategy knows, and says who it is. It shows the strategy the
 * header only, which would take tokens from query and body too, and those end up in logs.
 */
export function schemeGuard(scheme: Scheme, verify: StrategyRequest['verify']): CanActivate {
  class SchemeGuard extends AuthGuard(SCHEMES[scheme]) {
    override getRequest(context: ExecutionContext): StrategyRequest {
      const { authorization } = context.switchToHttp().getRequest<FastifyRequest>().headers;
      return { headers: { authorization }, verify };
    }

    override handleRequest<User = Principal>(
      error: unknown,
      user: User,
      _info: unknown,
      context: ExecutionContext,
    ): User {
      if (error) throw error;
      if (!user) throw new UnknownToken();
      context.switchToHttp().getRequest<FastifyRequest>().principal = user as unknown as Principal;
      return user;
    }
  }
  return new SchemeGuard();
}

/** No token that this scheme knows; another one may. */
export class UnknownToken extends Error {}
