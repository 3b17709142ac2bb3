export const CHAT_STATUSES = ['open', 'archived'] as const;
export type ChatStatus = (typeof CHAT_STATUSES)[number];

export const MAX_PINNED_TASKS = 50;
