/** What a row belongs to: a task, or a chat. */
export const NAMESPACES = ['chat', 'task'] as const;
export type Namespace = (typeof NAMESPACES)[number];

/** The kind whose payload has a shape of its own. */
export const TASK_CHECKPOINT = 'task_checkpoint';

export const MAX_PAYLOAD_BYTES = 256 * 1024;
