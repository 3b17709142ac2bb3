import { defineMetrics } from '../../metrics/index.ts';

export const HttpMetrics = defineMetrics({
  durations: {
    kind: 'histogram',
    name: 'http_request_duration_seconds',
    help: 'Seconds from the head of a request to the end of its answer; of an event stream to its beginning. Claims include the time that they waited for work. What is no readable request, by its head or its path, is not counted.',
    labels: {
      method: 'the methods of the routes; `other` where none matched',
      route: 'the patterns of the routes; `other` where none matched',
      status: 'the statuses of the API',
    },
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10],
  },
  inFlight: {
    kind: 'gauge',
    name: 'http_requests_in_flight',
    help: 'Requests of this process whose answer is not at its end, among them claims that wait for work and open event streams.',
  },
});
