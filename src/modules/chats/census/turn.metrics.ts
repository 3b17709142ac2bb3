import { defineMetrics } from '../../../kernel/metrics/index.ts';

const STATES = ['waiting', 'resting', 'live', 'cancelling'] as const;
const OF_ALL = 'Counted across the deployment, so each process says the same: take the maximum, not the sum.';

export const TurnMetrics = defineMetrics({
  turns: {
    kind: 'gauge',
    name: 'chat_turns',
    help: `Chat turns that wait to be claimed, rest after a release or because their organization may run none, are held by a worker, or are being cancelled (which may be held too). Stands at 10000 where there are more. ${OF_ALL}`,
    labels: { state: STATES },
  },
  oldest: {
    kind: 'gauge',
    name: 'chat_turns_oldest_seconds',
    help: `Seconds since the message of the oldest of these was posted, or since its cancellation was asked for; 0 without any. Above 10000 it is the oldest of 10000. ${OF_ALL}`,
    labels: { state: STATES },
  },
});
