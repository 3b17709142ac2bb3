/**
 * Guarantees: an `events` route answers with a stream that proxies pass on, kept open by comments; its clients are bounded
 * in number, and told to come back elsewhere when the process stops.
 * Refuses: queues of its own: what a client does not take in time is for whoever writes to leave out.
 */
export { eventFrame } from './event-frame.ts';
export { EventStream } from './event-stream.ts';
export { EventStreams, type StreamedEvents } from './event-streams.ts';
export { LastEventId } from './last-event-id.decorator.ts';
