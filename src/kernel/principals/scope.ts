/**
 * What a token may be limited to, as routes name it: to read; to do the daily work (tasks, chats, schedules, runs); to decide
 * (answers to questions of agents, approvals of their actions); to change anything else.
 */
export const SCOPES = ['read', 'work', 'decide', 'settings'] as const;
export type Scope = (typeof SCOPES)[number];

/** A member is one of these in an organization. A viewer reads everything but secrets, and changes nothing. */
export const MEMBER_ROLES = ['owner', 'viewer'] as const;
export type MemberRole = (typeof MEMBER_ROLES)[number];

/** The least role that may do what has this scope. */
export function roleFor(scope: Scope): MemberRole {
  return scope === 'read' ? 'viewer' : 'owner';
}
