import { Injectable } from '@nestjs/common';
import { Census, type Counted } from '../../../kernel/census/index.ts';
import { Metrics } from '../../../kernel/metrics/index.ts';
import { countWork } from './work-census.queries.ts';
import { WorkMetrics } from './work.metrics.ts';

/** Shows what is queued and what runs, of all organizations together. */
@Injectable()
export class WorkCensusService {
  constructor(census: Census, metrics: Metrics) {
    const counts = census.count(countWork());
    for (const state of ['ready', 'delayed', 'claimed'] as const) {
      metrics.gauge(WorkMetrics.requests, () => counts()?.[state].count, { state });
      metrics.gauge(WorkMetrics.oldestRequest, () => ageOf(counts()?.[state]), { state });
    }
    metrics.gauge(WorkMetrics.line, () => counts()?.line.count);
    metrics.gauge(WorkMetrics.longestUnserved, () => ageOf(counts()?.line));
    for (const status of ['starting', 'running'] as const) {
      metrics.gauge(WorkMetrics.runs, () => counts()?.[status].count, { status });
      metrics.gauge(WorkMetrics.oldestRun, () => ageOf(counts()?.[status]), { status });
    }
  }
}

/** Not below 0, where the time of a delayed request is still to come. */
function ageOf(counted: Counted | undefined): number | undefined {
  return counted && Math.max(0, counted.oldestSeconds ?? 0);
}
