import { Injectable } from '@nestjs/common';
import { EventBus } from '../../kernel/events/index.ts';

const READY = 'work.ready';

/**
 * Tells every process that an organization has work to claim. A hint: it may be lost, so whoever waits for work also
 * looks by itself now and then, and after every gap.
 */
@Injectable()
export class WorkSignals {
  constructor(private readonly events: EventBus) {}

  /** Call it after the commit that made `count` requests ready, or freed capacity for as many. */
  ready(organizationId: string, count: number): void {
    if (count > 0) this.events.publish(READY, { organizationId, count });
  }

  onReady(handler: (organizationId: string, count: number) => void): void {
    this.events.subscribe(READY, ({ organizationId, count }) => handler(String(organizationId), Number(count)));
  }

  onGap(handler: () => void): void {
    this.events.onGap(handler);
  }
}
