/**
 * Guarantees: one JSON object a line; credentials are redacted wherever they stand in it.
 * Refuses: bodies, query strings and headers of requests; `kernel/http` writes one line for each of them.
 */
export { createLogger, NestLogger, redact } from './logger.ts';
