import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';

/** Keeps requests to a provider apart. */
@Injectable()
export class CollectionPaceService {
  /** Ends early where the process stops. */
  async rest(ms: number, signal: AbortSignal): Promise<void> {
    if (ms > 0) await pause(ms, undefined, { signal }).catch(() => undefined);
  }
}
