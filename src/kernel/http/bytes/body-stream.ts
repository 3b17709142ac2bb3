import { Readable } from 'node:stream';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ApiError, EdgeErrors } from '../../errors/index.ts';

/** The unread body of a `raw` route. A request without a body has no media type either, so it is answered 415. */
export const BodyStream = createParamDecorator((_: unknown, context: ExecutionContext): Readable => {
  const { body, routeOptions } = context.switchToHttp().getRequest<FastifyRequest>();
  if (body instanceof Readable) return body;
  const { media = 'application/octet-stream' } = routeOptions.config.endpoint ?? {};
  throw new ApiError(EdgeErrors.unsupportedMediaType, { message: `Send the body as ${media}.` });
});
