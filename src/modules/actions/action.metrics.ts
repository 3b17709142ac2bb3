import { defineMetrics } from '../../kernel/metrics/index.ts';

const OF_ALL = 'Counted across the deployment, so each process says the same: take the maximum, not the sum.';

export const ActionMetrics = defineMetrics({
  sent: {
    kind: 'counter',
    name: 'actions_carried_out_total',
    help: 'Actions that this process took, by what became of them: the provider did it, refused it, was not reached for certain, or nobody knows.',
    labels: { outcome: ['succeeded', 'failed', 'not_executed', 'ambiguous'] },
  },
  unresolved: {
    kind: 'gauge',
    name: 'actions_unresolved',
    help: `Actions that wait for a decision, for an executor, for the provider, or for a person who looks what became of them. Stands at 10000 where there are more. ${OF_ALL}`,
    labels: { status: ['awaiting_approval', 'approved', 'executing', 'reconciliation_required'] },
  },
  oldest: {
    kind: 'gauge',
    name: 'actions_unresolved_oldest_seconds',
    help: `Seconds since the oldest of these came into its status or, where it was approved, since its approval; 0 without any. Above 10000 it is the oldest of 10000. ${OF_ALL}`,
    labels: { status: ['awaiting_approval', 'approved', 'executing', 'reconciliation_required'] },
  },
});
