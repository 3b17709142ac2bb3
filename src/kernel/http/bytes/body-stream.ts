import { Readable } from 'node:stream';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ApiError, EdgeErrors } from '../../errors/index.ts';

/** The body of a `raw` route, which nobody has read yet. A request that carries none has no media type either: 415. */
export const BodyStream = createParamDecorator((_: unknown, context: ExecutionContext): Readable => {
  const { body } = context.switchToHttp().getRequest<FastifyRequest>();
  if (body instanceof Readable) return body;
  throw new ApiError(EdgeErrors.unsupportedMediaType, { message: 'The body must be application/octet-stream.' });
});
