/** What a row belongs to: a task, or a chat. */
export const NAMESPACES = ['chat', 'task'] as const;
export type Namespace = (typeof NAMESPACES)[number];
