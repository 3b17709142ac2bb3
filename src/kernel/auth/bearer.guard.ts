import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import type { FastifyRequest } from 'fastify';
import { Config } from '../../config/index.ts';
import { Secrets, sha256 } from '../crypto/index.ts';
import { ApiError, EdgeErrors } from '../errors/index.ts';
import {
  endpointOf,
  type ExecutionsAllowed,
  type Scheme,
  SCHEMES,
  schemesOf,
  unauthorizedFor,
} from '../http/endpoint.ts';
import { Capabilities } from './capabilities.ts';
import { FailedAttempts } from './failed-attempts.ts';
import { OwnerIdentities } from './owner-identities.ts';
import type { ExecutionPrincipal, Principal } from './principal.ts';
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
      user: User,
      _info: unknown,
      context: ExecutionContext,
    ): User {
      if (error) throw error;
      const principal = user as unknown as Principal | false;
      const request = context.switchToHttp().getRequest<FastifyRequest>();
      if (!principal || !isForRoute(principal, request, endpointOf(context.getHandler())?.execution))
        throw new ApiError(EdgeErrors.agentUnauthorized);
      request.principal = principal;
      return user;
    }
  }
  return new SchemeGuard();
}

/** Whether an execution may call this route at all: in its own organization, and being of the kinds that are let in. */
function isForRoute(principal: Principal, { params }: FastifyRequest, allowed: ExecutionsAllowed = {}): boolean {
  if (principal.kind !== 'execution') return true;
  const { organizationId } = params as { readonly organizationId?: string };
  return organizationId?.toLowerCase() === principal.organizationId && isAllowed(principal, allowed);
}

function isAllowed(
  { execution, profileKind, mode }: ExecutionPrincipal,
  { kinds, profileKinds, modes }: ExecutionsAllowed,
): boolean {
  return (
    (!kinds || kinds.includes(execution)) &&
    (!profileKinds || profileKinds.includes(profileKind)) &&
    (!modes || mode === null || modes.includes(mode))
  );
}

/** The one guard of the application: lets in what the route's `@Endpoint` names, tried in order, and nothing else. */
@Injectable()
export class BearerGuard implements CanActivate {
  private readonly guards: Readonly<Record<Scheme, CanActivate>>;

  constructor(
    private readonly failedAttempts: FailedAttempts,
    identities: OwnerIdentities,
    capabilities: Capabilities,
    config: Config,
  ) {
    const serviceTokens = new Secrets(config.agentServiceTokens);
    this.guards = {
      owner: schemeGuard('owner', (token) => identities.identify(token)),
      service: schemeGuard('service', async (token) =>
        serviceTokens.include(sha256(token)) ? { kind: 'service' } : undefined,
      ),
      execution: schemeGuard('execution', (token) => capabilities.verify(token)),
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
