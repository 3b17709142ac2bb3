import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

/**
 * The JSON body as it came, without defaults or normalisation: for digests that the caller can compute too. Beside a
 * `@Body()`, which validates it.
 */
export const RawBody = createParamDecorator(
  (_: unknown, context: ExecutionContext): unknown => context.switchToHttp().getRequest<FastifyRequest>().body,
);
