import { Injectable } from '@nestjs/common';
import { Census } from '../../../kernel/census/index.ts';
import { Metrics } from '../../../kernel/metrics/index.ts';
import { countTurns } from './turn-census.queries.ts';
import { TurnMetrics } from './turn.metrics.ts';

/** Shows the open turns of all organizations together. */
@Injectable()
export class TurnCensusService {
  constructor(census: Census, metrics: Metrics) {
    const counts = census.count(countTurns());
    for (const state of ['waiting', 'resting', 'live', 'cancelling'] as const) {
      metrics.gauge(TurnMetrics.turns, () => counts()?.[state].count, { state });
      metrics.gauge(TurnMetrics.oldest, () => counts() && (counts()![state].oldestSeconds ?? 0), { state });
    }
  }
}
