import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ApiError, EdgeIssues, type IssueRow, unauthorized } from '../errors/index.ts';
import { type EndpointSpec, endpointOf, type ExecutionsAllowed, unauthorizedAt } from '../http/endpoint/index.ts';
import { requireScope } from '../tenancy/index.ts';
import { FailedAttempts } from './failed-attempts.ts';
import type {
  ExecutionIdentity,
  GatewayIdentity,
  GatewayPrincipal,
  Identity,
  Principal,
  Scope,
} from '../principals/index.ts';

/**
 * The only guard of the application: admits the caller that `Authentication` identified, if the route's `@Endpoint`
 * admits its kind and its token has the scope that the route names. Without a caller only public routes are open.
 */
@Injectable()
export class PrincipalGuard implements CanActivate {
  constructor(private readonly failedAttempts: FailedAttempts) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const spec = endpointOf(context.getHandler());
    // `Authentication` let a scraper in, who is no principal.
    if (spec?.auth === 'public' || spec?.auth === 'scraper') return true;
    const { identity } = request;
    // The start refuses a route without a spec; if one exists all the same, it is closed.
    if (!spec || !identity) throw new ApiError(unauthorizedAt(request.routeOptions.url));
    const refusal = refusalOf(identity, request, spec);
    if (refusal) {
      this.failedAttempts.count(request.ip);
      throw unauthorized(unauthorizedAt(request.routeOptions.url), refusal);
    }
    request.principal = principalAt(spec, identity);
    return true;
  }
}

/**
 * Why an execution may not call a route: it must be in its own organization, at a gateway at the integration of its token,
 * and of a kind that the route admits.
 */
function refusalOf(identity: Identity, { params }: FastifyRequest, spec: EndpointSpec): IssueRow | undefined {
  const named = params as { readonly organizationId?: string; readonly integrationId?: string };
  if (identity.kind === 'execution') {
    if (named.organizationId?.toLowerCase() !== identity.organizationId) return EdgeIssues.unknownToken;
    return unlessAdmitted(identity, spec.execution);
  }
  if (identity.kind !== 'gateway') return undefined;
  if (named.integrationId?.toLowerCase() !== identity.integrationId) return EdgeIssues.unknownToken;
  return unlessAdmitted(identity.execution, spec.execution);
}

function unlessAdmitted(
  { execution, profileKind, mode, department }: ExecutionIdentity,
  { kinds, profileKinds, modes, departments }: ExecutionsAllowed = {},
): IssueRow | undefined {
  if (kinds && !kinds.includes(execution)) return EdgeIssues.wrongKind;
  if (profileKinds && !profileKinds.includes(profileKind)) return EdgeIssues.notForThisProfile;
  if (departments && (department === null || !departments.includes(department))) return EdgeIssues.notForThisProfile;
  return modes && mode !== null && !modes.includes(mode) ? EdgeIssues.wrongKind : undefined;
}

/** The caller at a route. An owner's token without its scope is no failed attempt, since it is a right token. */
function principalAt({ scope }: EndpointSpec, identity: Identity): Principal {
  if (identity.kind === 'service') return identity;
  // Executions read in the right of their profile, whoever began them.
  const ownScope = scope === undefined || scope === 'read' ? null : scope;
  if (identity.kind === 'execution') return { ...identity, scope: ownScope };
  if (identity.kind === 'gateway') return atGateway(identity, ownScope);
  // The start refuses a route for owners that names none.
  if (scope === undefined) throw new TypeError('A route that admits owners names no scope.');
  requireScope(identity, scope);
  return { ...identity, scope };
}

function atGateway(identity: GatewayIdentity, scope: Scope | null): GatewayPrincipal {
  return { ...identity, execution: { ...identity.execution, scope } };
}
