import type { ExecutionContext } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import type { FastifyRequest } from 'fastify';
import { ApiError, EdgeErrors } from '../errors/index.ts';

/** Whether handlers look at the query, by handler. */
const looks = new WeakMap<object, boolean>();

/** 400 for a query that no handler looks at, an issue a key; where one does, its class says which keys there are. */
export function refuseUnknownQuery(context: ExecutionContext, request: FastifyRequest): void {
  if (!request.raw.url?.includes('?') || looksAtQuery(context)) return;
  const keys = Object.keys(request.query as object);
  if (keys.length === 0) return;
  throw new ApiError(EdgeErrors.validationFailed, {
    issues: keys.map((path) => ({ path, code: 'unknown_property', message: 'is not a known property' })),
  });
}

function looksAtQuery(context: ExecutionContext): boolean {
  const handler = context.getHandler();
  let known = looks.get(handler);
  if (known === undefined) {
    // As Nest's parameter decorators note them: `<kind>:<index>`.
    const parameters = (Reflect.getMetadata(ROUTE_ARGS_METADATA, context.getClass(), handler.name) ?? {}) as object;
    known = Object.keys(parameters).some((key) => key.startsWith(`${RouteParamtypes.QUERY}:`));
    looks.set(handler, known);
  }
  return known;
}
