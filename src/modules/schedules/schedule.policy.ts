import anyAscii from 'any-ascii';
import { isUuid } from '../../kernel/validation/index.ts';
import type { ProfileKind } from '../../kernel/auth/index.ts';
import type { ScheduleOrigin } from './schedule.state.ts';

/** The profile on whose behalf somebody acts on schedules. */
export interface ActingProfile {
  readonly id: string;
  readonly key: string;
  readonly kind: ProfileKind;
  /** Of a profile of kind `department`, else null. */
  readonly department: string | null;
}

/**
 * Whether an agent may change a schedule: the backend's own nobody; a department what its profile owns; chat and
 * operator what people had made, and their own. A runtime that names no profile acts for the organization.
 */
export function mayChange(
  profile: ActingProfile | null,
  schedule: { readonly origin: ScheduleOrigin; readonly agentProfileId: string },
): boolean {
  if (schedule.origin === 'system') return false;
  if (profile === null || schedule.agentProfileId === profile.id) return true;
  return profile.kind !== 'department' && schedule.origin === 'user';
}

/** Whose schedules, and which profiles, the caller sees: a department its own, everybody else all. */
export function departmentOf(profile: ActingProfile | null): string | null {
  return profile?.kind === 'department' ? profile.department : null;
}

/** The key of a schedule that was given none. */
export function keyFrom(name: string): string {
  const words = anyAscii(name)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 90)
    .replace(/^-+|-+$/g, '');
  return words === '' || isUuid(words) ? `schedule${words && '-'}${words}` : words;
}
