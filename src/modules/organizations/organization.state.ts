/** `onboarding` is a shell that is being set up, `deleting` is gone for everyone and waits for the purge. */
export const ORGANIZATION_STATUSES = ['active', 'onboarding', 'deleting'] as const;

export const DEPARTMENTS = ['growth', 'engineering', 'support'] as const;
export type Department = (typeof DEPARTMENTS)[number];

export const RISKS = ['low', 'external', 'high'] as const;
export type Risk = (typeof RISKS)[number];

export const DISPATCH_STATUSES = ['running', 'stopped'] as const;
export type DispatchStatus = (typeof DISPATCH_STATUSES)[number];

/** Where an organization's files are kept, as clients see it. */
export function storageRoot(organizationId: string): string {
  return `service://organizations/${organizationId}`;
}
