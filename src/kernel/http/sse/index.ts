/**
 * Guarantees: an `events` route answers with a stream that proxies pass on, kept open by comments; its clients are
 * limited in number, and told to reconnect when the process stops.
 * Refuses: queues of its own; the writer decides what to skip when a client reads too slowly.
 */
export { eventFrame } from './event-frame.ts';
export { EventStream } from './event-stream.ts';
export { EventStreams, type StreamedEvents } from './event-streams.ts';
export { LastEventId } from './last-event-id.decorator.ts';
