/**
 * Guarantees: every JSON answer wears the envelope and is written by a serialiser compiled from the schema that the
 * documents show; bytes are streamed as attachments, with single ranges, and events as they come; a route without
 * `@Endpoint` does not start.
 * Drops fields that are not declared, and refuses answers built by hand.
 */
export { admitInTurn } from './admit-in-turn.ts';
export { BodyStream } from './body-stream.ts';
export type { ByteAnswer } from './byte-answer.ts';
export { CallerGone } from './caller-gone.decorator.ts';
export { closeWithin, createAdapter, Draining } from './edge/index.ts';
export { Endpoint, type EndpointSpec } from './endpoint.ts';
export { eventFrame, type EventStream, LastEventId, type StreamedEvents } from './events/index.ts';
export type { Pagination } from './envelope.ts';
export { Existing } from './existing.ts';
export { HttpModule } from './http.module.ts';
export { buildDocument } from './openapi/document.ts';
export { logRequests } from './request-log.ts';
export { RawBody } from './raw-body.ts';
export { requireEndpoints } from './require-endpoints.ts';
export { ResponseSerializers } from './response-serializers.ts';
