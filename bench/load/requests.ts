import { closedLoop } from './closed-loop.ts';
import { HttpClient } from './http-client.ts';
import type { Job, LoadResult } from './job.ts';

/** Prepared requests in turn, again and again. */
export async function requests(job: Extract<Job, { kind: 'requests' }>): Promise<LoadResult> {
  const { target, token, workers, seconds, perSecond } = job;
  const client = HttpClient.of(target, token, workers);
  return closedLoop({
    workers,
    seconds,
    ...(perSecond === undefined ? {} : { perSecond }),
    async operate(index, timer) {
      await timer('call', () => client.send(job.requests[index % job.requests.length]!));
      return true;
    },
  });
}
