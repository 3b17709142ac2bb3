import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import type { FastifyRequest } from 'fastify';
import { Config } from '../../config/index.ts';
import { isOneOf } from '../crypto/index.ts';
import { ApiError, EdgeErrors } from '../errors/index.ts';
import { endpointOf, type Scheme, SCHEMES, schemesOf, unauthorizedFor } from '../http/endpoint.ts';
import { FailedAttempts } from './failed-attempts.ts';
import { OwnerIdentities } from './owner-identities.ts';
import type { Principal } from './principal.ts';
import type { Presented } from './strategies.ts';

/**
 * A guard over one passport strategy. It shows the strategy the header only, which would take tokens from query and body
 * too, and those end up in logs.
 */
function schemeGuard(scheme: Scheme, verify: Presented['verify']): CanActivate {
  class SchemeGuard extends AuthGuard(SCHEMES[scheme]) {
    override getRequest(context: ExecutionContext): Presented {
      const { authorization } = context.switchToHttp().getRequest<FastifyRequest>().headers;
      return { headers: { authorization }, verify };
    }

    override handleRequest<User = Principal>(
      error: unknown,
      user: User | false,
      _info: unknown,
      context: ExecutionContext,
    ): User {
      if (error) throw error;
      if (!user) throw new ApiError(EdgeErrors.agentUnauthorized);
      context.switchToHttp().getRequest<FastifyRequest>().principal = user as unknown as Principal;
      return user;
    }
  }
  return new SchemeGuard();
}

/** The one guard of the application: lets in what the route's `@Endpoint` names, tried in order, and nothing else. */
@Injectable()
export class BearerGuard implements CanActivate {
  private readonly guards: Readonly<Record<Scheme, CanActivate>>;

  constructor(
    private readonly failedAttempts: FailedAttempts,
    identities: OwnerIdentities,
    config: Config,
  ) {
    this.guards = {
      owner: schemeGuard('owner', (token) => identities.identify(token)),
      service: schemeGuard('service', async (token) =>
        isOneOf(token, config.agentServiceTokens) ? { kind: 'service' } : undefined,
      ),
    };
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const spec = endpointOf(context.getHandler());
    // Boot refuses a route without a spec; should one slip in, it is closed.
    if (!spec) throw new ApiError(EdgeErrors.agentUnauthorized);
    if (spec.auth === 'public') return true;
    for (const scheme of schemesOf(spec)) {
      try {
        if (await this.guards[scheme].canActivate(context)) return true;
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
      }
    }
    this.failedAttempts.count(context.switchToHttp().getRequest<FastifyRequest>().ip);
    throw new ApiError(unauthorizedFor(spec));
  }
}
