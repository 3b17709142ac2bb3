import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type {
  ExecutionPrincipal,
  GatewayPrincipal,
  OwnerPrincipal,
  Principal,
  ServicePrincipal,
} from '../principals/index.ts';

/** The calling owner; only on routes whose `auth` is `owner`. */
export const Owner = createParamDecorator((_: unknown, context: ExecutionContext): OwnerPrincipal => {
  const principal = principalOf(context);
  if (principal?.kind !== 'owner') throw new TypeError('@Owner() is on a route that admits callers other than owners.');
  return principal;
});

/**
 * The calling run or chat turn; only on routes whose `auth` is `execution`. The handler must check that it is alive.
 */
export const Execution = createParamDecorator((_: unknown, context: ExecutionContext): ExecutionPrincipal => {
  const principal = principalOf(context);
  if (principal?.kind !== 'execution')
    throw new TypeError('@Execution() is on a route that admits callers other than executions.');
  return principal;
});

/**
 * The calling execution at the integration of the path; only on routes whose `auth` is `gateway`. The handler must check
 * that both still stand.
 */
export const Gateway = createParamDecorator((_: unknown, context: ExecutionContext): GatewayPrincipal => {
  const principal = principalOf(context);
  if (principal?.kind !== 'gateway')
    throw new TypeError('@Gateway() is on a route that admits callers other than executions at an integration.');
  return principal;
});

/** The calling owner or execution; only on routes whose `auth` is `owner` and `execution`. */
export const Caller = createParamDecorator(
  (_: unknown, context: ExecutionContext): OwnerPrincipal | ExecutionPrincipal => {
    const principal = principalOf(context);
    if (principal?.kind !== 'owner' && principal?.kind !== 'execution')
      throw new TypeError('@Caller() is on a route that admits callers other than owners and executions.');
    return principal;
  },
);

/** The calling runtime or execution; only on routes whose `auth` is `service` and `execution`. */
export const AgentCaller = createParamDecorator(
  (_: unknown, context: ExecutionContext): ServicePrincipal | ExecutionPrincipal => {
    const principal = principalOf(context);
    if (principal?.kind !== 'service' && principal?.kind !== 'execution')
      throw new TypeError('@AgentCaller() is on a route that admits callers other than runtimes and executions.');
    return principal;
  },
);

/** The calling owner or runtime; only on routes whose `auth` is `owner` and `service`. */
export const RuntimeCaller = createParamDecorator(
  (_: unknown, context: ExecutionContext): OwnerPrincipal | ServicePrincipal => {
    const principal = principalOf(context);
    if (principal?.kind !== 'owner' && principal?.kind !== 'service')
      throw new TypeError('@RuntimeCaller() is on a route that admits callers other than owners and runtimes.');
    return principal;
  },
);

function principalOf(context: ExecutionContext): Principal | undefined {
  return context.switchToHttp().getRequest<FastifyRequest>().principal;
}
