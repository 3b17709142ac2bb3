import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import type { FastifyRequest } from 'fastify';
import { ApiError, EdgeErrors } from '../errors/index.ts';
import { endpointOf, schemesOf, unauthorizedFor } from '../http/endpoint.ts';
import { FailedAttempts } from './failed-attempts.ts';
import type { Principal } from './principal.ts';
import { SCHEMES } from './strategies.ts';

/** A guard over one passport strategy that shows it the header only: the strategy would take tokens from query and body too, and those end up in logs. */
function schemeGuard(scheme: string) {
  return class extends AuthGuard(scheme) {
    override getRequest(context: ExecutionContext): object {
      const { headers } = context.switchToHttp().getRequest<FastifyRequest>();
      return { headers: { authorization: headers.authorization } };
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
  };
}

const OwnerGuard = schemeGuard(SCHEMES.owner);
const ServiceGuard = schemeGuard(SCHEMES.service);

/** The one guard of the application: lets in what the route's `@Endpoint` names, tried in order, and nothing else. */
@Injectable()
export class BearerGuard implements CanActivate {
  private readonly guards: Readonly<Record<keyof typeof SCHEMES, CanActivate>> = {
    owner: new OwnerGuard(),
    service: new ServiceGuard(),
  };
  private readonly failedAttempts: FailedAttempts;

  constructor(failedAttempts: FailedAttempts) {
    this.failedAttempts = failedAttempts;
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
