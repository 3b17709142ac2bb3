import { setImmediate } from 'node:timers/promises';

/** Four fires at once in a process hold the event loop for less than 20 ms together. */
const SLICE_MS = 4;

/** Cuts long work into slices, between which the event loop serves other calls. */
export class LoopSlices {
  private startedAt = performance.now();

  get isOver(): boolean {
    return performance.now() - this.startedAt >= SLICE_MS;
  }

  async next(): Promise<void> {
    await setImmediate();
    this.startedAt = performance.now();
  }
}
