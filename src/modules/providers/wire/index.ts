/**
 * How services that speak HTTP are asked, whichever they are. Guarantees: every request and answer is bounded; an answer
 * comes whole, of the type that was asked for and with exact integers, or not at all; what failed is told by one table of
 * codes; a write is one request, and what does not prove that it failed is ambiguous. Refuses: redirects, encoded answers,
 * retries, texts of providers in errors.
 */
export { isObject, type JsonBounds, type JsonObject, LISTED, parseAnswer, TooManyValues } from './json-answer.ts';
export { atOnce } from './at-once.ts';
export { ask, exchange, secondsOf } from './provider-exchange.ts';
export { type Classify, failed, failureOfStatus, requireShape } from './provider-failure.ts';
export type { ProviderAnswer, ProviderRequest } from './provider-request.ts';
export { OutputCut, outputOf } from './output-cut.ts';
export { sendOnce } from './sent-write.ts';
