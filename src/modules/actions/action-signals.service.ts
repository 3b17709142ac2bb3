import { Injectable } from '@nestjs/common';
import { Bus } from '../../kernel/bus/index.ts';

const APPROVED = 'action.approved';

/** Tells executors that something was approved. A hint, which may be lost: they also look each second. */
@Injectable()
export class ActionSignalsService {
  constructor(private readonly bus: Bus) {}

  /** Call it after the commit. */
  approved(): void {
    this.bus.publish(APPROVED, {});
  }

  onApproved(handler: () => void): void {
    this.bus.subscribe(APPROVED, handler);
  }
}
