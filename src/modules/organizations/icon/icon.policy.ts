export const ICON_STATUSES = ['none', 'found'] as const;

export const ICONS = {
  /** How long a found icon is served without looking again. */
  freshMinutes: 60,
  /** When nothing was found: doubled with each failure, up to the above. */
  retryMinutes: 1,
  /** How long a claimed look-up is nobody else's; longer than a look-up takes. */
  claimSeconds: 10,
  /** How long callers wait for somebody else's look-up. */
  waitMs: 8_000,
  pollMs: 250,
  /** How long clients may keep an icon, and that there is none. */
  foundMaxAge: 3_600,
  noneMaxAge: 60,
} as const;

/** Of one look-up. */
export const LOOKUP = {
  totalMs: 8_000,
  /** For one request, so that one that drips leaves time for others. */
  requestMs: 3_000,
  requests: 12,
  atOnce: 2,
  redirects: 3,
  pageBytes: 512 * 1_024,
  manifestBytes: 128 * 1_024,
  imageBytes: 256 * 1_024,
} as const;
