import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { VERSION } from '../../config/index.ts';
import { BuildMetrics } from './build.metrics.ts';
import { PREFIX } from './metric-row.ts';

/** How often the event loop is asked how late it is: half as often as the library does by default. */
const EVENT_LOOP_PRECISION_MS = 20;

let registry: Registry | undefined;

/**
 * What the library knows of the process: CPU, memory, open files, collections of garbage, how late the event loop is.
 * One for all applications of a process, because its watchers are never taken off.
 */
export function processMetrics(): Registry {
  if (!registry) {
    registry = new Registry();
    const { name, help } = BuildMetrics.info;
    new Gauge({ name: PREFIX + name, help, labelNames: ['version'], registers: [registry] }).set(
      { version: VERSION },
      1,
    );
    collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_PRECISION_MS });
  }
  return registry;
}
