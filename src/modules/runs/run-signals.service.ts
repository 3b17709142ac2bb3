import { Injectable } from '@nestjs/common';
import { Bus } from '../../kernel/bus/index.ts';

const NEWS = 'run.news';
/** From so many runs on, all of their organization are told instead. */
const MANY_RUNS = 20;

/**
 * Tells the heartbeats that wait, in every process, that there is something to say: of some runs, or of all that are live
 * in an organization. A hint, which may be lost: the next heartbeat says it too.
 */
@Injectable()
export class RunSignalsService {
  constructor(private readonly bus: Bus) {}

  /** Call it after the commit. */
  news(organizationId: string, runIds: readonly string[]): void {
    if (runIds.length > MANY_RUNS) this.newsOfAll(organizationId);
    else for (const runId of runIds) this.bus.publish(NEWS, { key: runId });
  }

  newsOfAll(organizationId: string): void {
    this.bus.publish(NEWS, { key: organizationId });
  }

  /** `key` is the id of a run or of an organization. */
  onNews(handler: (key: string) => void): void {
    this.bus.subscribe(NEWS, ({ key }) => handler(String(key)));
  }

  onGap(handler: () => void): void {
    this.bus.onGap(handler);
  }
}
