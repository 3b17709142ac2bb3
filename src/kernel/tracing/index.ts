/**
 * Guarantees: with a collector configured, each request, each piece of work on a database connection for it, and each
 * tick of a job is one span; a caller's valid `traceparent` is the parent, and its decision to record is kept; no
 * request waits for the collector, whatever it does. Without one, nothing of the OpenTelemetry SDK is loaded, and nothing is
 * kept or made for a request.
 * Refuses: URLs, headers, bodies, values of statements, names of callers and messages of errors in spans; OpenTelemetry's
 * global registrations, because several applications may run in one process; and instrumentation that patches modules.
 */
export { endTrace, traceIdOf, traceRequests } from './trace-requests.ts';
export {
  outgoingTraceparent,
  runForAll,
  runUntraced,
  type Sharer,
  type StatementsSpan,
  statementsSpan,
  tracedWork,
} from './traced-work.ts';
export type { Tracer } from './tracer.ts';
export { Tracing } from './tracing.ts';
export { TracingModule } from './tracing.module.ts';
