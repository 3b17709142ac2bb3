import { defineMetrics } from '../metrics/index.ts';

export const StorageMetrics = defineMetrics({
  operations: {
    kind: 'counter',
    name: 'object_store_operations_total',
    help: 'Operations of this process on the store of bytes. A failure is one of the store; refused are uploads that were too large, broke off or had another digest.',
    labels: {
      operation: ['put', 'open', 'stat', 'delete', 'delete_prefix', 'list'],
      outcome: ['success', 'failure', 'refused'],
    },
  },
  up: {
    kind: 'gauge',
    name: 'object_store_up',
    help: '1 if bytes can be stored, which a check at a scrape tries within 2 s, at most every 10 s; otherwise 0, and calls that need bytes are answered 503.',
  },
});
