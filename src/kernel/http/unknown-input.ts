import type { ExecutionContext } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import type { FastifyRequest } from 'fastify';
import { ApiError, EdgeErrors, EdgeIssues, invalid, issueAt } from '../errors/index.ts';

/** What each handler reads. */
const looks = new WeakMap<object, Looks>();

interface Looks {
  readonly atQuery: boolean;
  readonly atBody: boolean;
}

/**
 * Answers 400, with one issue per key, to a query or body that the handler does not read: a caller that sends
 * `{"dryRun": true}` to a route without that option must not get the real change. Where a handler reads them, its class
 * decides which keys are known.
 */
export function refuseUnknownInput(context: ExecutionContext, request: FastifyRequest): void {
  const { body } = request;
  const hasQuery = request.raw.url?.includes('?') === true;
  if (!hasQuery && body === undefined) return;
  const { atQuery, atBody } = looksOf(context);
  if (hasQuery && !atQuery) refuseKeys(request.query as object);
  // Bytes come as a stream, which only `raw` routes let in.
  const { raw, jsonRpc } = request.routeOptions.config.endpoint ?? {};
  // What a message holds is the protocol's.
  if (body === undefined || atBody || raw || jsonRpc) return;
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw invalid('', EdgeIssues.wrongType, 'must be an empty object or absent');
  refuseKeys(body);
}

/** The same limit of issues as validation has. */
const MAX_ISSUES = 100;

function refuseKeys(given: object): void {
  const keys = Object.keys(given);
  if (keys.length === 0) return;
  throw new ApiError(EdgeErrors.validationFailed, {
    issues: keys.slice(0, MAX_ISSUES).map((path) => issueAt(path, EdgeIssues.unknownProperty)),
  });
}

function looksOf(context: ExecutionContext): Looks {
  const handler = context.getHandler();
  let known = looks.get(handler);
  if (!known) {
    // Nest's parameter decorators record them as `<kind>:<index>`.
    const parameters = (Reflect.getMetadata(ROUTE_ARGS_METADATA, context.getClass(), handler.name) ?? {}) as object;
    const has = (kind: RouteParamtypes) => Object.keys(parameters).some((key) => key.startsWith(`${kind}:`));
    known = { atQuery: has(RouteParamtypes.QUERY), atBody: has(RouteParamtypes.BODY) };
    looks.set(handler, known);
  }
  return known;
}
