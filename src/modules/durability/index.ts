/** Rows that executions keep for the time after a crash: checkpoints of tasks and chats. */
export { DurabilityModule } from './durability.module.ts';
export { DurabilityRow } from './durability-row.entity.ts';
