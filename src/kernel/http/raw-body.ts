import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

/**
 * The JSON body as it was sent, without defaults or normalisation, for digests that the caller can compute too. Use it
 * beside a `@Body()`, which validates.
 */
export const RawBody = createParamDecorator(
  (_: unknown, context: ExecutionContext): unknown => context.switchToHttp().getRequest<FastifyRequest>().body,
);
