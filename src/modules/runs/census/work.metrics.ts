import { defineMetrics } from '../../../kernel/metrics/index.ts';

const OF_ALL = 'Counted across the deployment, so each process says the same: take the maximum, not the sum.';

export const WorkMetrics = defineMetrics({
  requests: {
    kind: 'gauge',
    name: 'run_requests',
    help: `Run requests that are ready to be claimed, delayed until their time, or claimed and not started; those of organizations that may not start anything are among them. Stands at 10000 where there are more. ${OF_ALL}`,
    labels: { state: ['ready', 'delayed', 'claimed'] },
  },
  oldestRequest: {
    kind: 'gauge',
    name: 'run_requests_oldest_seconds',
    help: `Seconds since the oldest of these became available (ready), was to become ready (delayed; 0 while its time has not come) or was claimed; 0 without any. Above 10000 ready or claimed ones it is the oldest of 10000. ${OF_ALL}`,
    labels: { state: ['ready', 'delayed', 'claimed'] },
  },
  line: {
    kind: 'gauge',
    name: 'organizations_in_line',
    help: `Organizations with ready work that may start. Stands at 10000 where there are more. ${OF_ALL}`,
  },
  longestUnserved: {
    kind: 'gauge',
    name: 'organizations_in_line_longest_unserved_seconds',
    help: `Seconds since a claim last took work of the organization in the line that waits longest, or since it joined the line; 0 without any. Grows where workers are too few or none. ${OF_ALL}`,
  },
  runs: {
    kind: 'gauge',
    name: 'runs_live',
    help: `Runs that hold a lease and have not ended. Stands at 10000 where there are more. ${OF_ALL}`,
    labels: { status: ['starting', 'running'] },
  },
  oldestRun: {
    kind: 'gauge',
    name: 'runs_live_oldest_seconds',
    help: `Seconds since the oldest of these began; 0 without any. Above 10000 it is the oldest of 10000. ${OF_ALL}`,
    labels: { status: ['starting', 'running'] },
  },
});
