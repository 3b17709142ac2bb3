import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

/**
 * The id of the last event that a client has seen, as it was sent; for an id that it does not know a route starts anew.
 */
export const LastEventId = createParamDecorator((_: unknown, context: ExecutionContext): string | undefined => {
  const header = context.switchToHttp().getRequest<FastifyRequest>().headers['last-event-id'];
  return typeof header === 'string' ? header : undefined;
});
