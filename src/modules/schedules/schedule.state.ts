export const SCHEDULE_STATUSES = ['enabled', 'paused'] as const;

/** `user` was made in a chat turn, `agent` otherwise by an agent, `system` by the backend alone, which alone changes it. */
export const SCHEDULE_ORIGINS = ['system', 'user', 'agent'] as const;
export type ScheduleOrigin = (typeof SCHEDULE_ORIGINS)[number];

export const OCCURRENCE_ORIGINS = ['timer', 'run_now'] as const;
export type OccurrenceOrigin = (typeof OCCURRENCE_ORIGINS)[number];

/** `planned` is for a slot that is known ahead; this version writes a slot when it is taken or passed over. */
export const OCCURRENCE_STATUSES = ['planned', 'created', 'skipped'] as const;

/** Why a slot made no task. */
export const SKIP_REASONS = ['overlap', 'dispatch_stopped', 'profile_disabled', 'missed'] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];
