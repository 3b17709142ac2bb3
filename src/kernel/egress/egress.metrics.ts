import { defineMetrics } from '../metrics/index.ts';
import { REFUSALS } from './egress-request.ts';

export const EgressMetrics = defineMetrics({
  requests: {
    kind: 'counter',
    name: 'egress_requests_total',
    help: 'Requests that the service sent to others, by how they ended: with an answer of any status, or refused (`timeout` and `aborted` also while they waited for their turn).',
    labels: { outcome: ['answered', ...REFUSALS] },
  },
  duration: {
    kind: 'histogram',
    name: 'egress_request_duration_seconds',
    help: 'Seconds from the wish to send a request to its answer or refusal, waiting and redirects included.',
    buckets: [0.1, 0.5, 2, 10, 30],
  },
  open: {
    kind: 'gauge',
    name: 'egress_requests_open',
    help: 'Requests to others that have not ended, those that wait for their turn included; 32 at most are on their way.',
  },
});
