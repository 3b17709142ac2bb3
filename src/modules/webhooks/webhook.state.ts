/** A disabled one gets no events; the log of its deliveries stays, and it can be tested. */
export const WEBHOOK_STATUSES = ['enabled', 'disabled'] as const;
export type WebhookStatus = (typeof WEBHOOK_STATUSES)[number];

/** Who disabled it: an owner, its receiver by a 410, or the backend after days without a success. */
export const DISABLED_REASONS = ['owner', 'gone', 'failing'] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

/**
 * `failed` is one whose last attempt failed and that is tried again; `dead` one that is not tried again. A test is tried
 * once.
 */
export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed', 'dead'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** Why a delivery is dead. */
export const DEAD_REASONS = ['attempts_exhausted', 'webhook_disabled', 'gone'] as const;
export type DeadReason = (typeof DEAD_REASONS)[number];

/** One try to deliver. */
export interface DeliveryAttempt {
  readonly at: string;
  /** Of the answer; null where there was none. */
  readonly status: number | null;
  /** What came instead of an answer. */
  readonly error: string | null;
  readonly latencyMs: number;
}
