import { Injectable } from '@nestjs/common';
import { Census } from '../../../kernel/census/index.ts';
import { Metrics } from '../../../kernel/metrics/index.ts';
import { ActionMetrics } from '../action.metrics.ts';
import { UNRESOLVED_ACTION_STATUSES } from '../action.state.ts';
import { countActions } from './action-census.queries.ts';

/** Shows what waits for people, executors and providers, of all organizations together. */
@Injectable()
export class ActionCensusService {
  constructor(census: Census, metrics: Metrics) {
    const counts = census.count(countActions());
    for (const status of UNRESOLVED_ACTION_STATUSES) {
      metrics.gauge(ActionMetrics.unresolved, () => counts()?.[status].count, { status });
      metrics.gauge(ActionMetrics.oldest, () => counts() && Math.max(0, counts()![status].oldestSeconds ?? 0), {
        status,
      });
    }
  }
}
