import type { RecalculationReason, RecalculationStatus } from './definitions/index.ts';

/** `running` until it is published, has failed, or another one took its place. */
export const COLLECTION_STATUSES = ['running', 'published', 'failed', 'abandoned'] as const;

/** Whether a definition's history stands on its newest reads. */
export interface Recalculation {
  readonly status: RecalculationStatus;
  readonly reason: RecalculationReason | null;
}
