import { setTimeout as wait } from 'node:timers/promises';
import { quantile } from '../stats.ts';
import type { LoadResult } from './job.ts';

const WARM_UP_SHARE = 0.2;
const WARM_UP_LIMIT_MS = 1_000;

/** Times one step of an operation. */
export type Timer = <T>(step: string, work: () => Promise<T>) => Promise<T>;

interface Options {
  readonly workers: number;
  readonly seconds: number;
  readonly perSecond?: number;
  /** One operation; answers false when there is nothing left to do. */
  readonly operate: (index: number, timer: Timer) => Promise<boolean>;
}

/** Runs workers that each begin the next operation when the last one is answered, or when it is due. */
export async function closedLoop({ workers, seconds, perSecond, operate }: Options): Promise<LoadResult> {
  const startedAt = performance.now();
  const startCpu = process.cpuUsage();
  const warmAt = startedAt + Math.min(WARM_UP_LIMIT_MS, seconds * 1_000 * WARM_UP_SHARE);
  const endAt = startedAt + seconds * 1_000;
  const latencies = new Map<string, number[]>();
  let [next, total, operations, failures] = [0, 0, 0, 0];
  let firstFailure: string | undefined;
  let exhausted = false;
  let lastAt = warmAt;
  const timer: Timer = async (step, work) => {
    const before = performance.now();
    const result = await work();
    const after = performance.now();
    if (before >= warmAt && after <= endAt) {
      const list = latencies.get(step);
      if (list) list.push(after - before);
      else latencies.set(step, [after - before]);
    }
    return result;
  };
  const worker = async () => {
    while (!exhausted && performance.now() < endAt) {
      const index = next;
      next += 1;
      if (perSecond !== undefined) {
        const dueAt = startedAt + (index * 1_000) / perSecond;
        if (dueAt >= endAt) return;
        const early = dueAt - performance.now();
        if (early > 0) await wait(early);
      }
      try {
        if (!(await operate(index, timer))) exhausted = true;
      } catch (error) {
        failures += 1;
        firstFailure ??= error instanceof Error ? error.message : String(error);
        if (failures > 100) exhausted = true;
        continue;
      }
      if (exhausted) return;
      total += 1;
      const at = performance.now();
      if (at < warmAt || at > endAt) continue;
      operations += 1;
      lastAt = at;
    }
  };
  await Promise.all(Array.from({ length: workers }, worker));
  const cpu = process.cpuUsage(startCpu);
  return {
    operations,
    seconds: (exhausted ? lastAt - warmAt : endAt - warmAt) / 1_000,
    failures,
    firstFailure,
    steps: Object.fromEntries(
      [...latencies].map(([step, list]) => [
        step,
        { count: list.length, p50: quantile(list, 0.5), p99: quantile(list, 0.99) },
      ]),
    ),
    cpuMs: (cpu.user + cpu.system) / 1_000,
    total,
  };
}
