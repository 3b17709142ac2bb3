/**
 * Guarantees: one JSON object a line; credentials are redacted wherever they stand in it, by the one table that says what
 * counts as one (`credentials.ts`), and so are the deployment's own tokens.
 * Refuses: bodies, query strings and headers of requests; `kernel/http` writes one line for each of them.
 */
export { credentialIn } from './credentials.ts';
export { createLogger, NestLogger } from './logger.ts';
