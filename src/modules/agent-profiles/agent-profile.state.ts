import { LIVE_RUN_LIMIT, storageRoot } from '../organizations/index.ts';

export const PROFILE_KINDS = ['operator', 'chat', 'department'] as const;
export type ProfileKind = (typeof PROFILE_KINDS)[number];

export const PROFILE_STATUSES = ['enabled', 'disabled'] as const;
export type ProfileStatus = (typeof PROFILE_STATUSES)[number];

/** `auto` profiles follow the catalog at boot, `pinned` ones stay at their revision. */
export const UPDATE_POLICIES = ['auto', 'pinned'] as const;
export type UpdatePolicy = (typeof UPDATE_POLICIES)[number];

export const RUN_MODES = ['plan', 'execute', 'verify'] as const;

/** How many runs of a profile may be live at once. */
export const PROFILE_LIVE_RUN_LIMIT = { ...LIVE_RUN_LIMIT, default: 3 } as const;

/** Where a profile's own files are kept, as clients see it. */
export function profileRoot(organizationId: string, key: string): string {
  return `${storageRoot(organizationId)}/profiles/${key}`;
}

export function memoryRoot(organizationId: string, key: string): string {
  return `${profileRoot(organizationId, key)}/memory`;
}
