import { Injectable } from '@nestjs/common';
import { Bus } from '../../../kernel/bus/index.ts';

const READY = 'work.ready';

/** Offers `count` ready requests of an organization; returns how many of them local waiters will claim. */
export type ReadyHandler = (organizationId: string, count: number) => number;

/**
 * Tells waiting claims that an organization has work: those of this process first, then other processes of what is
 * left. A hint, which may be lost: waiting claims also look by themselves now and then, and after every gap.
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
