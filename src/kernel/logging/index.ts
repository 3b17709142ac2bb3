/**
 * Guarantees: one JSON object a line; credentials are redacted wherever they stand in it.
 * Refuses: bodies, query strings and headers of requests.
 */
export { createLogger, NestLogger } from './logger.ts';
export { logRequests } from './request-log.ts';
