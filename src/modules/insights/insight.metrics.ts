import { defineMetrics } from '../../kernel/metrics/index.ts';

export const InsightMetrics = defineMetrics({
  collections: {
    kind: 'counter',
    name: 'insight_collections_total',
    help: 'Collections of figures, by what became of them: visible, failed for good, put off, or overtaken by a change.',
    labels: { outcome: ['published', 'failed', 'deferred', 'abandoned'] },
  },
  requests: {
    kind: 'counter',
    name: 'insight_requests_total',
    help: 'Pages and reports that collections of figures asked providers for.',
  },
  rateFiles: {
    kind: 'counter',
    name: 'insight_rate_files_total',
    help: 'Files of exchange rates, by whether they were whole and stored.',
    labels: { outcome: ['stored', 'failed'] },
  },
});
