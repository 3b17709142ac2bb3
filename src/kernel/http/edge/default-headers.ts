import type { FastifyReply } from 'fastify';

/** Headers of every answer, whatever its body. */
export const DEFAULT_HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
} as const;

/** `Cache-Control` of JSON answers that do not set their own. */
export const JSON_CACHE_CONTROL = 'no-store';

/**
 * Keeps JSON out of caches, because it holds what one caller may see; bytes and images set their own `Cache-Control`.
 */
export function keepJsonOutOfCaches(reply: FastifyReply): void {
  const type = reply.getHeader('content-type');
  if (typeof type !== 'string' || !type.startsWith('application/json')) return;
  if (!reply.hasHeader('cache-control')) reply.header('cache-control', JSON_CACHE_CONTROL);
}
