import type { FastifyReply } from 'fastify';

/** On every answer, whatever its body. */
export const DEFAULT_HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
} as const;

/** On every JSON answer that does not say otherwise. */
export const JSON_CACHE_CONTROL = 'no-store';

/** JSON holds what one caller may see; bytes and images decide for themselves how long they may be kept. */
export function keepJsonOutOfCaches(reply: FastifyReply): void {
  const type = reply.getHeader('content-type');
  if (typeof type !== 'string' || !type.startsWith('application/json')) return;
  if (!reply.hasHeader('cache-control')) reply.header('cache-control', JSON_CACHE_CONTROL);
}
