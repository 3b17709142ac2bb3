import { defineMetrics } from '../../kernel/metrics/index.ts';

const KIND = 'the kinds of connectors; `mcp` is of owners’ own servers';

export const GatewayMetrics = defineMetrics({
  calls: {
    kind: 'counter',
    name: 'gateway_calls_total',
    help: 'Calls of tools by executions and approved actions, those that were refused among them, by what became of them.',
    labels: {
      kind: KIND,
      access: ['read', 'write', 'unknown'],
      outcome: ['succeeded', 'failed', 'refused', 'not_executed', 'ambiguous'],
    },
  },
  seconds: {
    kind: 'histogram',
    name: 'gateway_call_duration_seconds',
    help: 'Seconds that a call of a tool took from the request, or from the release of an action, to its outcome.',
    labels: { kind: KIND, access: ['read', 'write', 'unknown'] },
    buckets: [0.02, 0.1, 0.5, 2, 10, 30],
  },
  bytes: {
    kind: 'counter',
    name: 'gateway_output_bytes_total',
    help: 'Bytes of JSON that calls of tools put out to executions and actions.',
    labels: { kind: KIND, access: ['read', 'write', 'unknown'] },
  },
});
