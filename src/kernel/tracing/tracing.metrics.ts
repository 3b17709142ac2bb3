import { defineMetrics } from '../metrics/index.ts';

export const TracingMetrics = defineMetrics({
  lost: {
    kind: 'counter',
    name: 'trace_spans_lost_total',
    help: 'Spans that were dropped because the collector was away, refused them or was too slow. Absent where traces are off.',
  },
});
