import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { OwnerPrincipal } from './principal.ts';

/** The calling owner; only on routes whose `auth` is `owner`. */
export const Owner = createParamDecorator((_: unknown, context: ExecutionContext): OwnerPrincipal => {
  const { principal } = context.switchToHttp().getRequest<FastifyRequest>();
  if (principal?.kind !== 'owner') throw new TypeError('@Owner() stands on a route that lets in others than owners.');
  return principal;
});
