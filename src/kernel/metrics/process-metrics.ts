import { collectDefaultMetrics, Registry } from 'prom-client';

/** How often the event loop is asked how late it is; twice as often as the library does by default doubles the cost. */
const EVENT_LOOP_PRECISION_MS = 20;

let registry: Registry | undefined;

/**
 * What the library knows of the process: CPU, memory, open files, collections of garbage, how late the event loop is.
 * One for all applications of a process, because its watchers are never taken off.
 */
export function processMetrics(): Registry {
  if (!registry) {
    registry = new Registry();
    collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_PRECISION_MS });
  }
  return registry;
}
