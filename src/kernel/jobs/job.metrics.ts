import { defineMetrics } from '../metrics/index.ts';

const JOB = 'the jobs of the service, which its log names too';

export const JobMetrics = defineMetrics({
  runs: {
    kind: 'counter',
    name: 'job_runs_total',
    help: 'Runs of a job that ended in this process.',
    labels: { name: JOB, outcome: ['success', 'failure'] },
  },
  duration: {
    kind: 'histogram',
    name: 'job_duration_seconds',
    help: 'Seconds that a run of a job took, failed ones included.',
    labels: { name: JOB },
    buckets: [0.05, 0.5, 5, 60],
  },
  lastSuccess: {
    kind: 'gauge',
    name: 'job_last_success_timestamp_seconds',
    help: 'When the job last ended without a failure in this process, in seconds since 1970; absent until it did.',
    labels: { name: JOB },
  },
  lag: {
    kind: 'gauge',
    name: 'job_lag_seconds',
    help: 'Seconds by which the job is late: since the first time it was due behind the beginning of its last success (or behind the start of the process), 0 while that is to come. Absent where ROLE is api.',
    labels: { name: JOB },
  },
});
