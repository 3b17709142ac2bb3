import { setTimeout as wait } from 'node:timers/promises';
import { HttpClient } from './http-client.ts';
import type { Job, LoadResult } from './job.ts';

/**
 * As many calls that wait as there are requests, each on a connection of its own and sent again when it is answered. They
 * come spread over half of the time that each waits; in the other half all wait and none comes.
 */
export async function waits(job: Extract<Job, { kind: 'waits' }>): Promise<LoadResult> {
  const { target, token, requests, waitSeconds, seconds } = job;
  const client = new HttpClient(target, token, requests.length);
  const startedAt = performance.now();
  const startCpu = process.cpuUsage();
  const endAt = startedAt + seconds * 1_000;
  let [total, failures] = [0, 0];
  let firstFailure: string | undefined;
  const waiter = async (place: number) => {
    await wait((place / requests.length) * (waitSeconds / 2) * 1_000);
    while (performance.now() < endAt)
      try {
        await client.send(requests[place]!);
        total += 1;
      } catch (error) {
        if (performance.now() >= endAt) return;
        failures += 1;
        firstFailure ??= error instanceof Error ? error.message : String(error);
        await wait(1_000);
      }
  };
  const waiters = requests.map((_, place) => waiter(place));
  await wait(seconds * 1_000);
  const cpu = process.cpuUsage(startCpu);
  await client.close();
  await Promise.all(waiters);
  return {
    operations: total,
    seconds,
    failures,
    firstFailure,
    steps: {},
    cpuMs: (cpu.user + cpu.system) / 1_000,
    total,
  };
}
