/** Consequential operations: proposed by executions, decided by people, sent at most once. */
export { Action } from './action.entity.ts';
export { ActionReceipt } from './action-receipt.entity.ts';
export {
  ActionExecutors,
  type ActionExecutor,
  type ActionStanding,
  type ActionTarget,
  type ActionToSend,
  type DescribedAction,
  type Sent,
} from './action-executors.port.ts';
export { ActionsModule } from './actions.module.ts';
