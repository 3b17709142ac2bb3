import anyAscii from 'any-ascii';
import { isUuid } from '../../kernel/validation/index.ts';
import type { ProfileKind } from '../../kernel/auth/index.ts';
import type { ScheduleOrigin } from './schedule.state.ts';

/** The profile that an agent or a runtime acts for. */
export interface ActingProfile {
  readonly id: string;
  readonly key: string;
  readonly kind: ProfileKind;
  /** Of a profile of kind `department`, else null. */
  readonly department: string | null;
}

/**
 * Whether an agent may change a schedule: none those of the backend; a department profile its own; chat and operator their
 * own and those that people asked for in a chat. A runtime that names no profile acts for the organization.
 */
export function mayChange(
  profile: ActingProfile | null,
  schedule: { readonly origin: ScheduleOrigin; readonly agentProfileId: string },
): boolean {
  if (schedule.origin === 'system') return false;
  if (profile === null || schedule.agentProfileId === profile.id) return true;
  return profile.kind !== 'department' && schedule.origin === 'user';
}

/** The department whose schedules and profiles the caller sees; null for callers that see all. */
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
