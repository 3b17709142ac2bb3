/**
 * Guarantees: whatever arrives at the socket is answered in the envelope, with a request id and safe default headers; a
 * body reaches a handler only as strict JSON or, where the route says so, as a form or a stream; a guarded route answers 401 before it
 * reads a body; encoded and absolute-form paths take the plain path's route, and paths with double slashes or dots
 * match none (404).
 * Refuses: compressed bodies, other media types, HEAD and OPTIONS where no route declares them, path-matching
 * middleware, and cutting a request in flight before the limit of a shutdown.
 */
export { closeWithin, Draining } from './draining.ts';
export { createAdapter, type EdgeOptions } from './edge.ts';
export { replyWithError } from './error-reply.ts';
