import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../errors/index.ts';
import { endpointOf, type ExecutionsAllowed, unauthorizedAt } from '../http/endpoint/index.ts';
import { FailedAttempts } from './failed-attempts.ts';
import type { ExecutionPrincipal, Principal } from '../principals/index.ts';

/**
 * The only guard of the application: admits the principal that `Authentication` identified, if the route's `@Endpoint`
 * admits its kind. Without a principal only public routes are open.
 */
@Injectable()
export class PrincipalGuard implements CanActivate {
  constructor(private readonly failedAttempts: FailedAttempts) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const spec = endpointOf(context.getHandler());
    // `Authentication` let a scraper in, who is no principal.
    if (spec?.auth === 'public' || spec?.auth === 'scraper') return true;
    // The start refuses a route without a spec; if one exists all the same, it is closed.
    if (spec && request.principal && isForRoute(request.principal, request, spec.execution)) return true;
    this.failedAttempts.count(request.ip);
    throw new ApiError(unauthorizedAt(request.routeOptions.url));
  }
}

/** Whether an execution may call this route: in its own organization, and of a kind that the route admits. */
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
