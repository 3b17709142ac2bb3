/**
 * Guarantees: every JSON answer has the envelope and is written by a serialiser compiled from the schema that the
 * documents show; bytes are streamed as attachments, with single ranges, and events as they happen; pages, bare documents and
 * JSON-RPC are what a route declares them to be, their errors too; a route without `@Endpoint` stops the start.
 * Refuses: fields that are not declared (they are dropped), and answers built by hand.
 */
export { admitInTurn } from './admit-in-turn.ts';
export { BodyStream, type ByteAnswer, type Picture, type StreamedAnswer } from './bytes/index.ts';
export { CallerGone } from './caller-gone.decorator.ts';
export { closeWithin, createAdapter, Draining } from './edge/index.ts';
export { serveDocs } from './docs/index.ts';
export { Endpoint, type EndpointSpec, requireEndpoints } from './endpoint/index.ts';
export { Accepted, Existing, type Pagination, ResponseSerializers, Warned, Written } from './envelope/index.ts';
export { eventFrame, type EventStream, LastEventId, type StreamedEvents } from './sse/index.ts';
export { HttpModule } from './http.module.ts';
export { buildDocument, defineKind, type KindSchema } from './openapi/index.ts';
export { logRequests } from './requests/index.ts';
export type { JsonRpcAnswer } from './json-rpc/index.ts';
export type { Page } from './pages/index.ts';
export { RawBody } from './raw-body.ts';
