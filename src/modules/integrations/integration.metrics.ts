import { defineMetrics } from '../../kernel/metrics/index.ts';

export const IntegrationMetrics = defineMetrics({
  checks: {
    kind: 'counter',
    name: 'integration_checks_total',
    help: 'Checks of connectors that owners asked for, by what the provider said.',
    labels: { outcome: ['verified', 'failed'] },
  },
  listings: {
    kind: 'counter',
    name: 'integration_listings_total',
    help: 'Listings of tools in the background, by what came of them.',
    labels: { outcome: ['listed', 'failed'] },
  },
  providerSeconds: {
    kind: 'histogram',
    name: 'integration_provider_seconds',
    help: 'Seconds for which a provider was asked for an owner, a job, a call that reads, or to prepare an action, with all requests that it took.',
    labels: { purpose: ['owner_call', 'job', 'call', 'action'] },
    buckets: [0.1, 0.5, 2, 10, 25],
  },
});
