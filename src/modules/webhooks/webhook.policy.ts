export const WEBHOOKS = {
  mostOfOrganization: 20,
  maxUrlLength: 2_000,
  /** How long the secret before a rotation goes on signing. */
  overlapHours: 24,
  /** How long after the backend disabled a webhook its events are still recorded. */
  recordedDays: 3,
} as const;
