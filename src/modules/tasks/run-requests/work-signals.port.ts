import { Injectable } from '@nestjs/common';
import { Bus } from '../../../kernel/bus/index.ts';

const READY = 'work.ready';

/** Offers `count` ready requests of an organization; returns how many of them local waiters will claim. */
export type ReadyHandler = (organizationId: string, count: number) => number;

/**
 * Tells whoever waits for work that an organization has some: first those of this process, then the other processes of
 * what is left, if anything. A hint: it may be lost, so whoever waits for work also looks by itself now and then, and after
 * every gap.
 */
@Injectable()
export class WorkSignals {
  private readonly handlers: ReadyHandler[] = [];

  constructor(private readonly bus: Bus) {
    bus.subscribe(READY, ({ organizationId, count }) => this.offerHere(String(organizationId), Number(count)));
  }

  /** Call it after the commit that made `count` requests ready, or freed capacity for as many. */
  ready(organizationId: string, count: number): void {
    const left = count - this.offerHere(organizationId, count);
    if (left > 0) this.bus.publishElsewhere(READY, { organizationId, count: left });
  }

  onReady(handler: ReadyHandler): void {
    this.handlers.push(handler);
  }

  onGap(handler: () => void): void {
    this.bus.onGap(handler);
  }

  private offerHere(organizationId: string, count: number): number {
    return this.handlers.reduce((taken, take) => taken + take(organizationId, count - taken), 0);
  }
}
