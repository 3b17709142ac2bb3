/**
 * Guarantees: each request leaves one line in the log and one observation in the metrics, a stream when it begins. The
 * line names the organization, run, turn and worker that the request names.
 * Refuses: the URL in either, whose query may hold a secret; the pattern of the route stands for it. Of a body, anything
 * but those ids.
 */
export { logRequest, logRequests } from './request-log.ts';
export { RequestMetrics } from './request-metrics.ts';
