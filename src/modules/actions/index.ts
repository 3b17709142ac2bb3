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
  type Look,
  type Prepared,
  type Sent,
  type StoredAction,
} from './action-executors.port.ts';
export {
  type ActionError,
  ENDED_ACTION_STATUSES,
  type EndedActionStatus,
  UNRESOLVED_ACTION_STATUSES,
  type UnresolvedActionStatus,
} from './action.state.ts';
export { ActionDetailDto } from './action.dto.ts';
export { ActionErrors } from './action.errors.ts';
export { ActionFollowingService } from './execution/action-following.service.ts';
export { ProposalsService } from './proposal/proposals.service.ts';
export { type SuccessiveAction, SuccessiveProposalsService } from './proposal/successive-proposals.service.ts';
export { ActionExpiryService } from './expiry/action-expiry.service.ts';
export { ActionsModule } from './actions.module.ts';
export { type ActionWait, actionWait } from './waits/action-wait.ts';
export {
  ACTIONS_LEFT,
  type DecidedAction,
  decidedActions,
  hasUnresolvedActions,
  type UnresolvedAction,
  unresolvedActions,
  waitableActions,
} from './waits/action-waits.queries.ts';
