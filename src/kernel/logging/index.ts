/**
 * Guarantees: one JSON object per line; credentials anywhere in it are redacted by the one table of what counts as one
 * (`credentials.ts`), and so are the deployment's own tokens.
 * Refuses: bodies, query strings and headers of requests; `kernel/http` writes one line per request. Texts of people: the
 * modules write one line per event of an organization, of ids and codes (`logEvent` in `organizations/activity`).
 */
export { credentialIn, redact } from './credentials.ts';
export { createLogger, NestLogger } from './logger.ts';
export { refuseUnsafeTexts, unsafeTexts } from './unsafe-texts.ts';
