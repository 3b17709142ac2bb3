import { defineMetrics } from '../metrics/index.ts';

export const LeaseMetrics = defineMetrics({
  waiting: {
    kind: 'gauge',
    name: 'claims_waiting',
    help: 'Claims of this process that wait for work: of runs or of chat turns.',
    labels: { kind: ['run', 'turn'] },
  },
  beatsWaiting: {
    kind: 'gauge',
    name: 'heartbeats_waiting',
    help: 'Heartbeats of this process that wait for something to say: of runs or of chat turns.',
    labels: { kind: ['run', 'turn'] },
  },
  expired: {
    kind: 'counter',
    name: 'lease_expiries_total',
    help: 'Leases that this process ended because they lapsed: of runs and chat turns whose worker was not heard of, claims that were not started in time, and actions whose executor was not heard of.',
    labels: { kind: ['run', 'turn', 'claim', 'action'] },
  },
  renewed: {
    kind: 'counter',
    name: 'lease_renewals_after_outage_total',
    help: 'Leases that got one more period because no process could take a heartbeat.',
    labels: { kind: ['run', 'turn', 'claim'] },
  },
});
