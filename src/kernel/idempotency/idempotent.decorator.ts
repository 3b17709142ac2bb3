import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { EdgeIssues, invalid } from '../errors/index.ts';
import { isUuid } from '../validation/index.ts';
import type { IdempotentRequest } from './idempotency.ts';

declare module 'fastify' {
  interface FastifyRequest {
    idempotent?: IdempotentRequest;
  }
}

/** The request's validated `Idempotency-Key`, for a service to pass to `Idempotency.once`. */
export const Idempotent = createParamDecorator((_: unknown, context: ExecutionContext): IdempotentRequest => {
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  const header = request.headers['idempotency-key'];
  const needed = request.routeOptions.config.endpoint?.idempotencyKey === 'required';
  if (header === undefined && needed) throw invalid('Idempotency-Key', EdgeIssues.required);
  if (header !== undefined && !(typeof header === 'string' && isUuid(header)))
    throw invalid('Idempotency-Key', EdgeIssues.invalidUuid);
  const idempotent: IdempotentRequest = {
    key: header?.toLowerCase(),
    operation: `${request.method} ${request.routeOptions.url ?? ''} ${JSON.stringify(request.params, inOneSpelling)}`,
    replayed: false,
  };
  request.idempotent = idempotent;
  return idempotent;
});

/** Writes UUIDs in lower case, because one in upper case is the same id. */
function inOneSpelling(_key: string, value: unknown): unknown {
  return typeof value === 'string' && isUuid(value) ? value.toLowerCase() : value;
}
