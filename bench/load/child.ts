import { jobWakeups, trivialJobs } from '../baselines/graphile.ts';
import { appends, notifications, streams } from './event-streams.ts';
import type { Job, LoadResult } from './job.ts';
import { lifecycles } from './lifecycles.ts';
import { requests } from './requests.ts';
import { waits } from './waits.ts';
import { claimWakeups } from './wakeups.ts';

/** The process that makes the load: one job at a time, until its parent lets go of it. */
function run(job: Job): Promise<LoadResult> {
  switch (job.kind) {
    case 'lifecycles':
      return lifecycles(job);
    case 'requests':
      return requests(job);
    case 'trivial-jobs':
      return trivialJobs(job);
    case 'streams':
      return streams(job);
    case 'appends':
      return appends(job);
    case 'notifications':
      return notifications(job);
    case 'waits':
      return waits(job);
    case 'wakeups':
      return job.via === 'service' ? claimWakeups(job) : jobWakeups(job);
  }
}

process.on('message', (job: Job) => {
  run(job).then(
    (result) => process.send!({ result }),
    (error: unknown) =>
      process.send!({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  );
});
process.on('disconnect', () => process.exit(0));
