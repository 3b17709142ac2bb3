import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

/** The id of the last event that a client has seen, as it came; whatever a route cannot follow starts anew. */
export const LastEventId = createParamDecorator((_: unknown, context: ExecutionContext): string | undefined => {
  const header = context.switchToHttp().getRequest<FastifyRequest>().headers['last-event-id'];
  return typeof header === 'string' ? header : undefined;
});
